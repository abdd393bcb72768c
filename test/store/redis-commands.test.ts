import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { WriteError } from '../../src/base/core/write-error.ts';
import { CommandGroups } from '../../src/service/store/redis/connection/command-groups.ts';
import type { RedisConnection } from '../../src/service/store/redis/connection/redis-client.ts';
import { tagOf } from '../../src/service/store/redis/connection/shards.ts';
import { slotOf } from '../../src/service/store/redis/connection/slots.ts';
import { WriteHealth } from '../../src/service/store/write-health.ts';
import { connectTo, type RedisServer, redisProgram, startRedis } from '../redis-server.ts';

/** Arguments of `cw_commit`. */
const commitArgs = (callId: string, seq: number, fence = 1): string[] => [
  ...[callId, 'node-1', `${fence}`, `${seq}`, `${seq}`, '1000', ''],
  ...['{}', '{}', `[{"seq":${seq}}]`, 'project-1'],
];

describe.skipIf(redisProgram.missing)(`commands to Redis${redisProgram.why}`, () => {
  let server: RedisServer;
  let connection: RedisConnection;
  let health: WriteHealth;
  let groups: CommandGroups;

  const groupsOver = (over: RedisConnection): CommandGroups =>
    new CommandGroups({ connection: over, clock: systemClock, health });

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
    health = new WriteHealth(systemClock);
    groups = groupsOver(connection);
  });

  const commit = (callId: string, seq: number, fence?: number) =>
    groups.call('cw_commit', tagOf(callId), commitArgs(callId, seq, fence));

  it('are idempotent for a repeated commit, and refuse gaps and other fences', async () => {
    expect(await commit('a', 1)).toBe('OK ');
    expect(await commit('a', 1)).toBe('DUP ');
    expect(await commit('a', 3)).toBe('GAP 1');
    expect(await commit('a', 2, 2)).toBe('FENCED 1');
    expect(await groups.call('cw_adopt', tagOf('a'), ['a', 'node-2', '1'])).toBe('2');
    expect(await groups.call('cw_adopt', tagOf('a'), ['a', 'node-3', '1'])).toBeNull();
    expect(await groups.call('cw_adopt', tagOf('a'), ['a', 'node-2', '1'])).toBe('2');
    expect(await commit('a', 2, 1)).toBe('FENCED 2');
    expect(await commit('a', 2, 2)).toBe('OK ');
  });

  it('are pipelined for each turn, each with its own answer', async () => {
    const before = Number(/total_reads_processed:(\d+)/.exec(String(await server.command('INFO', 'stats')))?.[1]);
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, n) => commit(`call-${n % 100}`, n < 100 ? 1 : 2)),
    );
    const after = Number(/total_reads_processed:(\d+)/.exec(String(await server.command('INFO', 'stats')))?.[1]);
    expect(new Set(replies)).toEqual(new Set(['OK ']));
    // 200 kB arrive in several reads.
    expect(after - before).toBeLessThan(20);
    expect(health.commits.count('ok')).toBe(1);
  });

  it('are rejected one by one if invalid', async () => {
    const results = await Promise.allSettled([
      commit('a', 1),
      groups.call('cw_unheard_of', tagOf('a'), []),
      commit('a', 2),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('are queued while the server is unavailable, and executed when it returns', async () => {
    // Data not yet passed to the system may be lost with the process; this test must not lose any.
    await server.command('CONFIG', 'SET', 'appendfsync', 'always');
    await commit('a', 1);
    server.signal('SIGKILL');
    const late = commit('a', 2);
    await expect.poll(() => health.failure?.why).toBe('unreachable');
    await server.start();
    expect(await late).toBe('OK ');
    expect(health.failure).toBeUndefined();
  });

  it('are retried after loading the functions again, if a server has lost them', async () => {
    await server.command('FUNCTION', 'FLUSH');
    expect(await commit('a', 1)).toBe('OK ');
  });

  it('are compatible with a newer version of the functions, which stays', async () => {
    const newer =
      "#!lua name=callweave_1\n-- version: 999\nredis.register_function('cw_commit', function() return 'newer' end)";
    await server.command('FUNCTION', 'LOAD', 'REPLACE', newer);
    onTestFinished(() => void server.command('FUNCTION', 'FLUSH'));
    const another = await connectTo(server);
    onTestFinished(() => another.close());
    expect(await groupsOver(another).call('cw_commit', tagOf('a'), commitArgs('a', 1))).toBe('newer');
  });

  it('are refused with the address and the reason if no server is reachable', async () => {
    const guarded = await startRedis({ password: 'correct' });
    onTestFinished(() => guarded.stop());
    await expect(connectTo(guarded, { password: 'wrong' })).rejects.toThrow(/127\.0\.0\.1:\d+: WRONGPASS/);
    await expect(connectTo(server, { url: 'http://127.0.0.1' })).rejects.toThrow('redis:// or rediss://');
    const open = await connectTo(guarded, { password: 'correct' });
    open.close();
  });

  it('are refused with durability disk where the server cannot confirm that', async ({ skip }) => {
    const [known] = (await server.command('COMMAND', 'INFO', 'WAITAOF')) as unknown[];
    if (known) skip('this server can');
    await expect(connectTo(server, { durability: 'disk' })).rejects.toThrow('durability disk needs WAITAOF');
  });

  describe('with durability replica', () => {
    it('are confirmed by a replica, or reported as unconfirmed', async () => {
      const replicated = await connectTo(server, { durability: 'replica' });
      onTestFinished(() => replicated.close());
      const careful = groupsOver(replicated);
      const late = careful.call('cw_commit', tagOf('r'), commitArgs('r', 1));
      await expect.poll(() => health.failure?.why, { timeout: 5000 }).toBe('no_replica');
      const replica = await startRedis({ replicaOf: server });
      onTestFinished(() => replica.stop());
      expect(await late).toBe('OK ');
      expect(await replica.command('HGET', `${tagOf('r')}:call:r`, 'seq')).toBe('1');
    });

    it('are sent to the replica that was promoted to primary', async () => {
      const primary = await startRedis();
      const replica = await startRedis({ replicaOf: primary });
      const both = await connectTo([replica, primary], { durability: 'memory' });
      onTestFinished(async () => {
        both.close();
        await Promise.all([primary.stop(), replica.stop()]);
      });
      const followed = groupsOver(both);
      await followed.call('cw_commit', tagOf('a'), commitArgs('a', 1));
      primary.signal('SIGKILL');
      await replica.command('REPLICAOF', 'NO', 'ONE');
      expect(await followed.call('cw_commit', tagOf('b'), commitArgs('b', 1))).toBe('OK ');
    });
  });

  it('are limited to one slot each, so that a cluster accepts them', async () => {
    const cluster = await startRedis({ isCluster: true });
    const over = await connectTo(cluster, { isCluster: true });
    onTestFinished(async () => {
      over.close();
      await cluster.stop();
    });
    const many = groupsOver(over);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => many.call('cw_commit', tagOf(`${n}`), commitArgs(`${n}`, 1))),
    );
    expect(new Set(replies)).toEqual(new Set(['OK ']));
    expect(await cluster.command('CLUSTER', 'KEYSLOT', 'cw:{17}:x')).toBe(slotOf('cw:{17}:x'));
  });

  it('are abandoned after ten seconds', async () => {
    const time = { now: 0 };
    const clock = { ...systemClock, monotonicMs: () => time.now };
    const lone = await startRedis();
    const over = await connectTo(lone);
    onTestFinished(() => over.close());
    await lone.stop();
    const impatient = new CommandGroups({ connection: over, clock, health });
    const given = impatient.call('cw_commit', tagOf('a'), commitArgs('a', 1));
    given.catch(() => undefined);
    await expect.poll(() => health.failure?.why).toBe('unreachable');
    time.now = 10_000;
    await expect(given).rejects.toThrow(WriteError);
  });
});
