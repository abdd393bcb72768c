import { describe, expect, it } from 'vitest';
import { redisProgram, valkeyProgram } from '../redis-server.ts';
import { failOver } from './redis-failover.ts';

describe.skipIf(redisProgram.missing)(`a failover of Redis${redisProgram.why}`, () => {
  it('loses no decision that a replica had confirmed, and no call', async () => {
    const { acknowledged, lost, ended } = await failOver({ calls: 20, durability: 'replica', writeMs: 300 });
    expect(acknowledged).toBeGreaterThan(100);
    expect({ lost, ended }).toEqual({ lost: 0, ended: 0 });
  });

  it('without confirmation by a replica is mended by the node: it gives again what the new primary lacks', async () => {
    const result = await failOver({ calls: 20, durability: 'memory', writeMs: 300, lagMs: 200 });
    expect(result.acknowledged).toBeGreaterThan(100);
    expect({ lost: result.lost, ended: result.ended }).toEqual({ lost: 0, ended: 0 });
  });
});

it.skipIf(valkeyProgram.missing)(
  `a failover with durability disk loses no decision that both had on their disks${valkeyProgram.why}`,
  async () => {
    const program = valkeyProgram;
    const { acknowledged, lost, ended } = await failOver({ calls: 20, durability: 'disk', program, writeMs: 300 });
    expect(acknowledged).toBeGreaterThan(20);
    expect({ lost, ended }).toEqual({ lost: 0, ended: 0 });
  },
);
