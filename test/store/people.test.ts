/** Search for personal data in a large store during writes; deletion during retention. */
import { describe, expect, it } from 'vitest';
import { dataSubjectOf } from '../../src/base/core/data-subject.ts';
import type { CapturedSip } from '../../src/base/core/sip-capture.ts';
import { logEntry, recordOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';

const THEM = dataSubjectOf(['+33612345678']);
const LONG = 'x'.repeat(50_000);

async function storeOf(calls: number) {
  const store = createMemoryStore();
  for (let n = 0; n < calls; n++) {
    const from = n % 10 === 0 ? '+33612345678' : `+3369900${1000 + n}`;
    const record = recordOf(`call-${n}`, { from, endedMs: T0 + n });
    await store.calls.commit(writeOf(`call-${n}`, [], { record, entries: [logEntry(1, LONG)] }));
  }
  return store;
}

describe('search for personal data', () => {
  it('reads a bounded piece in each turn of the event loop, and calls are written in between', async () => {
    const store = await storeOf(100);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const searched = store.people.search(THEM).finally(() => {
      isOver = true;
    });
    await store.calls.commit(writeOf('meanwhile', [1], { record: recordOf('meanwhile', { from: '1000' }) }));
    expect(isOver).toBe(false);
    const traces = await searched;
    expect(traces.calls.map(({ callId }) => callId)).toEqual(Array.from({ length: 10 }, (_, n) => `call-${n * 10}`));
    // Five megabytes, in pieces of some hundred thousand characters.
    expect(turns).toBeGreaterThan(20);
  });

  it('finds calls named only in their journal, in any spelling, and marks live ones', async () => {
    const store = createMemoryStore();
    const body = JSON.stringify({ phone: '+33 6 12 34 56 78' });
    await store.calls.commit(
      writeOf('other', [], { record: recordOf('other', { from: '1000' }), entries: [logEntry(1, body)] }),
    );
    expect((await store.people.search(THEM)).calls).toEqual([{ callId: 'other', isOver: false }]);
  });
});

it('deletes comments and drafts with the person, and reports other settings', async () => {
  const { settings, people } = createMemoryStore();
  for (const kind of ['comment', 'draft_text', 'user'] as const)
    for (const [key, number] of [
      ['theirs', '+33612345678'],
      ['other', '+33699999999'],
    ] as const)
      await settings.put({ kind, key, value: `call ${number} back` });
  const traces = await people.search(THEM);
  expect(traces.staying.get('settings')).toBe(1);
  expect((await people.erase(traces, THEM)).counts.get('settings')).toBe(2);
  const keysOf = (kind: 'comment' | 'draft_text' | 'user') => settings.list(kind).map(({ key }) => key);
  expect([keysOf('comment'), keysOf('draft_text'), keysOf('user')]).toEqual([
    ['other'],
    ['other'],
    ['theirs', 'other'],
  ]);
});

it('deletes calls once, concurrently with retention or another request', async () => {
  const store = await storeOf(60);
  const traces = await store.people.search(THEM);
  const records = await Promise.all(traces.calls.map(async ({ callId }) => (await store.calls.call(callId))!));
  await Promise.all([
    store.people.deleteCalls(records),
    store.prune({ callsEndedBeforeMs: T0 + 30, deadBeforeMs: 0 }),
    store.people.deleteCalls(records),
  ]);
  const { calls } = await store.people.search(dataSubjectOf(['+33612345678', '+33199001122']));
  expect(calls.map(({ callId }) => Number(callId.slice(5))).every((n) => n >= 30 && n % 10 !== 0)).toBe(true);
  expect(calls).toHaveLength(27);
});

it('deletes the SIP messages of a call with it', async () => {
  const store = await storeOf(1);
  const message = { atMs: T0, isOutbound: false, text: 'INVITE sip:+33612345678@x SIP/2.0' } as unknown as CapturedSip;
  await store.sipTraces.append('call-0', [message]);
  expect(store.sipTraces.list('call-0')).toHaveLength(1);
  await store.people.deleteCalls([(await store.calls.call('call-0'))!]);
  // Some come late.
  await store.sipTraces.append('call-0', [message]);
  expect(store.sipTraces.list('call-0')).toEqual([]);
});
