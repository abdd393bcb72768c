import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { redisLeases } from '../../src/service/store/redis/connection/membership.ts';
import type { RedisConnection } from '../../src/service/store/redis/connection/redis-client.ts';
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
    await expect(store.renew(reportOf('1'), 1500)).rejects.toMatchObject({ reason: 'no_replica' });
  });

  it('are refused as `redis_full` at the limit of memory, and resolve with the time of Redis else', async () => {
    const store = redisLeases(connection);
    const used = /used_memory:(\d+)/.exec(String(await server.command('INFO', 'memory')))![1]!;
    await server.command('CONFIG', 'SET', 'maxmemory', used);
    onTestFinished(async () => {
      await server.command('CONFIG', 'SET', 'maxmemory', '0');
    });
    await expect(store.renew(reportOf('1'), 1500)).rejects.toMatchObject({ reason: 'redis_full' });
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    const beforeMs = Date.now();
    const storeMs = await store.renew(reportOf('1'), 1500);
    expect(storeMs).toBeGreaterThan(beforeMs - 2);
    expect(storeMs).toBeLessThan(Date.now() + 2);
  });
});
