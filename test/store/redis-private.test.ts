/**
 * Sensitive input: sealed in Redis while the call is live, so that another node can continue it, and removed
 * afterwards.
 */
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { openRedisStore } from '../../src/service/store/redis/store.ts';
import { createEncryptedValues } from '../../src/service/store/redis/stores/encrypted-values.ts';
import { recordOf, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';
import { connectTo, EVERY_RIGHT, redisProgram, startRedis } from '../redis-server.ts';
import { startCall } from '../runtime/test-call.ts';

const KEY = 'a-key-that-only-the-nodes-of-this-test-know';
const PIN = '73519';
const FLOW = `
flow: secret
start: ask
defaults: { exits: { error: $end } }
vars: { pin: { type: string, sensitive: true } }
steps:
  ask:
    collect: { prompt: { text: "Your PIN?" }, digits: { length: 5 } }
    sensitive: true
    set: { pin: "\${ result.digits }" }
    exits: { collected: send, exhausted: $end }
  send: { request: { post: "https://bank.example/", body: { pin: "\${ vars.pin }" } }, exits: { ok: wait, failed: $end } }
  wait: { pause: 60s, next: $end }
`;

it.skipIf(redisProgram.missing)(`is never readable in Redis${redisProgram.why}`, async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const connection = await connectTo(server, EVERY_RIGHT);
  const open = (key?: string) =>
    openRedisStore({
      ...{ connection, local: createMemoryStore(), archive: 'node-1', node: 'life-1', keepCallsMs: 60_000, key },
      ...{ clock: systemClock, log: silentLog },
    });
  const store = open(KEY);
  onTestFinished(async () => {
    await store.close();
    connection.close();
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
  const call = await startCall(FLOW, { ports: { callStore: store.calls, keepsUnmasked: true } });
  await settled();
  await call.tell({ type: 'answered' });
  await settled();
  await call.press(PIN);
  await settled();
  await expect.poll(() => call.requests.length).toBe(1);
  expect(call.requests[0]!.request.body).toEqual({ pin: PIN });
  call.requests[0]!.answer({ ok: true, status: 200, headers: {}, body: { said: `it is ${PIN}` } });
  await settled();
  await expect.poll(() => call.run.view().step).toBe('wait');

  const kept = await store.calls.unmasked!('call-1');
  const digits = [...kept.values()].map((input) => (input as { event?: { digit?: string } }).event?.digit ?? '');
  expect(digits.join('')).toBe(PIN);
  expect(JSON.stringify([...kept.values()])).toContain(`it is ${PIN}`);
  expect((await open('another-key-of-at-least-32-characters').calls.unmasked!('call-1')).size).toBe(0);

  const everything = async (): Promise<string> => {
    const keys = await connection.client.keys('*');
    const dumps = await Promise.all(keys.map((key) => connection.client.dumpBuffer(key)));
    return Buffer.concat(dumps).toString('latin1') + keys.join('\n');
  };
  // Redis compresses long texts in its dumps: the journal is read as it is, too.
  expect((await everything()) + JSON.stringify(await store.calls.journal('call-1'))).not.toContain(PIN);
  for (const digit of PIN) expect(await everything()).not.toContain(`"digit":"${digit}"`);
  expect(await everything()).toContain(':private:call-1');

  await call.hangUp();
  await expect.poll(async () => (await store.calls.unmasked!('call-1')).size).toBe(0);
  expect(await everything()).not.toContain(':private:');
});

it('opens only for its own entry, and not after a change', () => {
  const sealed = createEncryptedValues(KEY);
  const text = sealed.seal('call-1', 7, { digit: '3' });
  expect(sealed.open('call-1', 7, text)).toEqual({ digit: '3' });
  expect(sealed.seal('call-1', 7, { digit: '3' })).not.toBe(text);
  expect([sealed.open('call-1', 8, text), sealed.open('call-2', 7, text)]).toEqual([undefined, undefined]);
  const changed = Buffer.from(text, 'base64');
  changed[changed.length - 1]! ^= 1;
  expect(sealed.open('call-1', 7, changed.toString('base64'))).toBeUndefined();
  expect(sealed.open('call-1', 7, 'x')).toBeUndefined();
});

it.skipIf(redisProgram.missing)(`is written once in a repeated commit${redisProgram.why}`, async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const connection = await connectTo(server, EVERY_RIGHT);
  onTestFinished(() => void connection.close());
  const store = openRedisStore({
    ...{ connection, local: createMemoryStore(), archive: 'node-1', node: 'life-1', keepCallsMs: 60_000, key: KEY },
    ...{ clock: systemClock, log: silentLog },
  });
  const write = { ...writeOf('a', [1]), unmasked: [{ seq: 1, value: { digit: '5' } }] };
  await store.calls.commit(write);
  await store.calls.commit(write);
  expect(await store.calls.unmasked!('a')).toEqual(new Map([[1, { digit: '5' }]]));
  await expect(
    store.calls.commit({ ...writeOf('a', [2], { fence: 7 }), unmasked: [{ seq: 2, value: 'x' }] }),
  ).rejects.toThrow('does not own it under fence 7');
  await store.calls.commit({ ...writeOf('a', [2]), record: { ...recordOf('a'), endedMs: 5 } });
  expect((await store.calls.unmasked!('a')).size).toBe(0);
  await store.close();
});
