/** Requests with one `Idempotency-Key` that reach several nodes count once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { createIdempotencyKeys, type IdempotencyKeys } from '../../src/service/calls/control/idempotency.ts';
import { openRedisStore, type RedisStore } from '../../src/service/store/redis/store.ts';
import { writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, type RedisServer, redisProgram, startRedis } from '../redis-server.ts';

const REQUEST = { projectId: 'project-1', key: 'key-1', request: 'digest' };

describe.skipIf(redisProgram.missing)(`a key on several nodes${redisProgram.why}`, () => {
  let server: RedisServer;
  beforeEach(async () => {
    server = await startRedis();
  });
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    await server.stop();
  });

  const node = async (name: string): Promise<{ store: RedisStore; keys: IdempotencyKeys }> => {
    const connection = await connectTo(server);
    const store = openRedisStore({
      ...{ connection, local: createMemoryStore(), archive: name, node: name, keepCallsMs: 60_000 },
      ...{ clock: systemClock, log: silentLog },
    });
    closers.push(async () => {
      await store.close();
      connection.close();
    });
    return { store, keys: createIdempotencyKeys({ store: store.receipts, clock: systemClock }) };
  };

  /** Answers as a request does: with its own result, or with the stored answer. */
  const request = async (keys: IdempotencyKeys, body: string, made: string[]): Promise<string> => {
    const { answered, turn } = await keys.claim(REQUEST);
    if (answered) return answered.body;
    try {
      made.push(body);
      await keys.add(turn.receipt(200, body));
      return body;
    } finally {
      turn.release();
    }
  };

  it('gives the answer of the first request to one that is repeated on another node', async () => {
    const [one, other] = [await node('one'), await node('other')];
    const made: string[] = [];
    expect(await request(one.keys, '"a"', made)).toBe('"a"');
    expect(await request(other.keys, '"b"', made)).toBe('"a"');
    await expect(other.keys.claim({ ...REQUEST, request: 'another' })).rejects.toMatchObject({ code: 'key_reused' });
    expect(made).toEqual(['"a"']);
  });

  it('lets one of two simultaneous requests act, and the other wait for its answer', async () => {
    const nodes = await Promise.all(['one', 'two', 'three'].map(node));
    const made: string[] = [];
    const answers = await Promise.all(nodes.map(({ keys }, at) => request(keys, `"${at}"`, made)));
    expect(made).toHaveLength(1);
    expect(new Set(answers)).toEqual(new Set(made));
  });

  it('lets another node act once the claim of a dead node has expired', async () => {
    const [one, other] = [await node('one'), await node('other')];
    expect(await one.store.receipts.hold('project-1', 'key-1')).toBeDefined();
    expect(await other.store.receipts.hold('project-1', 'key-1')).toBeUndefined();
    const [held] = (await server.command('KEYS', '*:held:*')) as string[];
    expect(await server.command('PTTL', held!)).toBeLessThanOrEqual(10_000);
    await server.command('PEXPIRE', held!, '0');
    expect(await other.store.receipts.hold('project-1', 'key-1')).toBeDefined();
  });

  it('shows the receipt of a call once the call exists, also if its node died in between', async () => {
    const [one, other] = [await node('one'), await node('other')];
    const receipt = { ...REQUEST, status: 200, body: '{"voice_id":"call-1"}', createdMs: systemClock.now() };
    await one.store.receipts.addOfCall(receipt, 'call-1');
    expect(await other.store.receipts.find('project-1', 'key-1')).toBeUndefined();
    await one.store.calls.commit(writeOf('call-1', [1]));
    expect(await other.store.receipts.find('project-1', 'key-1')).toEqual(receipt);
  });
});
