import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redisLeases } from '../../src/store/redis/membership.ts';
import type { RedisConnection } from '../../src/store/redis/redis-client.ts';
import { leaseContract, reportOf } from '../contracts/cluster/leases.ts';
import { connectTo, type RedisServer, redisProgram, startRedis } from '../redis-server.ts';

describe.skipIf(redisProgram.missing)(`leases of nodes${redisProgram.why}`, () => {
  let server: RedisServer;
  let connection: RedisConnection;
  beforeAll(async () => {
    server = await startRedis();
    connection = await connectTo(server);
  });
  afterAll(async () => {
    connection.close();
    await server.stop();
  });
  beforeEach(async () => {
    await server.command('FLUSHALL');
  });

  // Keys of Redis end by its own clock: the one place where time has to pass.
  leaseContract('Redis', (test) => test({ store: redisLeases(connection), pass: (ms) => sleep(ms) }));

  it('are refused where a replica has to confirm them, and none does', async () => {
    const store = redisLeases({ ...connection, durability: 'replica' });
    await expect(store.renew(reportOf('1'), 1500)).rejects.toThrow('no replica of Redis has confirmed the lease');
  });
});
