/** Calls of a dead process are closed once, by the process that adopts them first. */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { type AdoptionCallParts, adoptCall } from '../../src/service/calls/recovery/adopt-call.ts';
import { type RecoveryParts, recoverCalls } from '../../src/service/calls/recovery/recover-calls.ts';
import { logEntry, recordOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';

async function died(calls: Record<string, string>) {
  const store = createMemoryStore();
  for (const [callId, owner] of Object.entries(calls)) await store.calls.commit(writeOf(callId, [1], { owner }));
  const partsOf = (owner: string): RecoveryParts => ({
    callStore: store.calls,
    clock: new VirtualClock(T0 + 5000),
    deliveriesOf: () => [],
    log: silentLog,
    recordings: { found: () => ({ durationMs: 0 }) } as unknown as RecoveryParts['recordings'],
    owner,
  });
  const kindsOf = async (callId: string) => (await store.calls.journal(callId)).map(({ kind }) => kind);
  return { store, partsOf, kindsOf };
}

/** Their legs died with the node. */
const recoverCall = (callId: string, dead: string, parts: RecoveryParts): Promise<boolean> =>
  adoptCall(callId, dead, { ...parts, surviving: undefined } as unknown as AdoptionCallParts);

describe('the calls of a node that died', () => {
  it('are closed, while those of other nodes continue', async () => {
    const { store, partsOf, kindsOf } = await died({ a: 'dead', b: 'dead', c: 'alive' });
    for (const callId of ['a', 'b']) expect(await recoverCall(callId, 'dead', partsOf('me'))).toBe(true);
    expect(await kindsOf('a')).toEqual(['log', 'in', 'state', 'ended']);
    expect(await store.calls.call('a')).toMatchObject({ state: 'disconnected', cause: { code: 41 } });
    expect(await store.calls.ownership('a')).toEqual({ owner: 'me', fence: 2, isEnded: true });
    expect(await kindsOf('c')).toEqual(['log']);
    for (const callId of ['a', 'c', 'x']) expect(await recoverCall(callId, 'dead', partsOf('me'))).toBe(false);
  });

  it('are closed once if two nodes find them at the same time', async () => {
    const { partsOf, kindsOf } = await died({ a: 'dead', b: 'dead' });
    for (const callId of ['a', 'b']) {
      const both = await Promise.all(['me', 'other'].map((owner) => recoverCall(callId, 'dead', partsOf(owner))));
      expect(both.filter((isClosed) => isClosed)).toHaveLength(1);
    }
    for (const callId of ['a', 'b']) expect(await kindsOf(callId)).toEqual(['log', 'in', 'state', 'ended']);
  });

  it('are fenced against writes of that node, should it still live', async () => {
    const { store, partsOf } = await died({ a: 'dead' });
    await recoverCall('a', 'dead', partsOf('me'));
    const late = writeOf('a', [], { owner: 'dead', entries: [logEntry(5)], record: recordOf('a') });
    await expect(store.calls.commit(late)).rejects.toThrow('does not own it under fence 1 any more');
  });

  it('are those of all other lives at a start', async () => {
    const { partsOf, kindsOf } = await died({ a: 'dead', b: 'dead before', c: 'me' });
    expect(await recoverCalls(partsOf('me'))).toBe(2);
    expect(await kindsOf('c')).toEqual(['log']);
  });
});
