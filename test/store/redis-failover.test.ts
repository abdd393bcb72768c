import { describe, expect, it } from 'vitest';
import { redisProgram, valkeyProgram } from '../redis-server.ts';
import { failOver } from './redis-failover.ts';

describe.skipIf(redisProgram.missing)(`a failover of Redis${redisProgram.why}`, () => {
  it('loses no decision that a replica had confirmed, and no call', async () => {
    const { acknowledged, lost, ended } = await failOver({ calls: 20, durability: 'replica', writeMs: 300 });
    expect(acknowledged).toBeGreaterThan(100);
    expect({ lost, ended }).toEqual({ lost: 0, ended: 0 });
  });

  it('replays unconfirmed writes to the new primary', async () => {
    const result = await failOver({ calls: 20, durability: 'memory', writeMs: 300, lagMs: 200 });
    expect(result.acknowledged).toBeGreaterThan(100);
    expect({ lost: result.lost, ended: result.ended }).toEqual({ lost: 0, ended: 0 });
  });
});

it.skipIf(valkeyProgram.missing)(
  `loses no decision with durability disk that both servers had on disk${valkeyProgram.why}`,
  async () => {
    const program = valkeyProgram;
    const { acknowledged, lost, ended } = await failOver({ calls: 20, durability: 'disk', program, writeMs: 300 });
    expect(acknowledged).toBeGreaterThan(20);
    expect({ lost, ended }).toEqual({ lost: 0, ended: 0 });
  },
);
