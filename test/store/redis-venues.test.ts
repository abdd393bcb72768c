import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import type { DataSubject } from '../../src/base/core/data-subject.ts';
import type { Callback } from '../../src/service/calls/conferences/callback.ts';
import { CommandGroups } from '../../src/service/store/redis/connection/command-groups.ts';
import { Reader } from '../../src/service/store/redis/connection/reader.ts';
import type { RedisConnection } from '../../src/service/store/redis/connection/redis-client.ts';
import { redisCallbacks } from '../../src/service/store/redis/stores/callbacks.ts';
import { redisVenues } from '../../src/service/store/redis/stores/venues.ts';
import { WriteHealth } from '../../src/service/store/write-health.ts';
import { venueStoreContract } from '../contracts/cluster/venues.ts';
import { connectTo, type RedisServer, redisProgram, startRedis } from '../redis-server.ts';

describe.skipIf(redisProgram.missing)(`owners of venues in Redis${redisProgram.why}`, () => {
  let server: RedisServer;
  let connection: RedisConnection;
  let groups: CommandGroups;
  beforeAll(async () => {
    server = await startRedis();
    connection = await connectTo(server);
    const health: WriteHealth = new WriteHealth(systemClock, async () => undefined);
    groups = new CommandGroups({ connection, clock: systemClock, health });
  });
  afterAll(async () => {
    await groups.close();
    connection.close();
    await server.stop();
  });
  beforeEach(async () => {
    await server.command('FLUSHALL');
  });

  it('are sent callbacks in order of position, until they end', async () => {
    const reader = new Reader(connection.client);
    const reported: string[] = [];
    const store = redisCallbacks({
      ...{ groups, reader },
      addDeliveries: async (all) => void reported.push(...all.map(({ id }) => id)),
    });
    const callback = (callbackId: string, projectId: string, to: string): Callback => ({
      ...{ callbackId, projectId, queue: 'sales', to, from: '1000', callId: 'c', flow: 'back', input: {}, agents: [] },
      ...{ priority: 0, enteredMs: 1, attempts: 0, maxAttempts: 3, pauseMs: 1, ringTimeoutMs: 1, notBeforeMs: 0 },
      untilMs: 9,
    });
    await store.put(callback('b', 'shop', '061'));
    await store.put(callback('a', 'shop', '062'));
    await store.put(callback('c', 'bank', '063'));
    await store.put({ ...callback('b', 'shop', '061'), attempts: 1 });
    expect((await store.list()).map(({ callbackId, attempts }) => [callbackId, attempts])).toEqual([
      ['b', 1],
      ['a', 0],
      ['c', 0],
    ]);
    expect((await store.shared!.projects()).sort()).toEqual(['bank', 'shop']);
    const event = { id: 'e', projectId: 'bank', orderKey: 'c', url: 'http://x.example/', payload: {}, createdMs: 1 };
    await store.remove('c', [event]);
    await store.remove('c', []);
    expect([reported, await store.shared!.projects()]).toEqual([['e'], ['shop']]);
    await store.shared!.forget({ isIn: (text) => text.includes('061') } as DataSubject);
    expect([await store.shared!.isKept('b'), await store.shared!.isKept('a')]).toEqual([false, true]);
  });

  venueStoreContract('Redis', (test) => test((node) => redisVenues({ groups, client: connection.client, node })));
});
