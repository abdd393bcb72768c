/** Used tokens in Redis: their retention, and tokens used while Redis was unavailable. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { openRedisStore, type RedisStore } from '../../src/service/store/redis/store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { isUsed, use } from '../contracts/store/used-tokens.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, type RedisServer, redisProgram, startRedis, until } from '../redis-server.ts';

async function node(server: RedisServer, name: string, local: Store = createMemoryStore()): Promise<RedisStore> {
  const connection = await connectTo(server);
  const store = openRedisStore({
    ...{ connection, local, archive: name, node: name, keepCallsMs: 60_000 },
    ...{ clock: systemClock, log: silentLog },
  });
  onTestFinished(async () => {
    await store.close();
    connection.close();
  });
  return store;
}

async function redis(): Promise<RedisServer> {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  return server;
}

describe.skipIf(redisProgram.missing)(`used tokens in Redis${redisProgram.why}`, () => {
  it('are kept a minute longer than the token is good, because the clocks of nodes differ', async () => {
    const server = await redis();
    const one = await node(server, 'one');
    expect(await use(one.usedTokens, 'a')).toBe(true);
    const [key] = (await server.command('KEYS', '*token/a')) as string[];
    const leftMs = Number(await server.command('PTTL', key!));
    expect(leftMs).toBeGreaterThan(115_000);
    expect(leftMs).toBeLessThanOrEqual(120_000);
  });

  it('are kept from the time before the node joined the cluster', async () => {
    const local = createMemoryStore();
    await use(local.usedTokens, 'a');
    const one = await node(await redis(), 'one', local);
    expect([await use(one.usedTokens, 'a'), await isUsed(one.usedTokens, 'a')]).toEqual([false, true]);
    expect(await use(one.usedTokens, 'b')).toBe(true);
  });

  it('are valid at any node if Redis confirmed them too late', async () => {
    const server = await redis();
    const [one, other] = [await node(server, 'one'), await node(server, 'other')];
    server.signal('SIGSTOP');
    expect(await use(one.usedTokens, 'a')).toBeUndefined();
    expect(await isUsed(other.usedTokens, 'a')).toBeUndefined();
    server.signal('SIGCONT');
    // Earlier commands are finished before this one.
    await use(one.usedTokens, 'b');
    await until(async () => (await isUsed(other.usedTokens, 'a')) === false);
    const uses = await Promise.all([one, other].map(({ usedTokens }) => use(usedTokens, 'a')));
    expect(uses.sort()).toEqual([false, true]);
  });
});
