/** Writes of calls while the store is not writable. */
import { describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { WriteError } from '../../src/base/core/write-error.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import type { CallWrite } from '../../src/service/runtime/call-store.ts';
import { createWriteBuffer } from '../../src/service/store/write-buffer.ts';
import { probeWrites, WriteHealth } from '../../src/service/store/write-health.ts';
import { deliveryOf, recordOf, T0, writeOf } from '../contracts/store/call-fixtures.ts';
import { createMemoryStore } from '../memory-store.ts';

function stand(options: { maxCharacters?: number } = {}) {
  const clock = new VirtualClock(T0);
  const store = createMemoryStore();
  let isFull = false;
  const full = () => new WriteError('disk_full');
  const tried: CallWrite[] = [];
  const health: WriteHealth = new WriteHealth(clock, async () => (isFull ? health.failed(full()) : health.succeeded()));
  const callStore = {
    ...bound(store.calls),
    async commit(write: CallWrite) {
      tried.push(write);
      if (isFull) {
        health.failed(full());
        throw full();
      }
      await store.calls.commit(write);
    },
  };
  const error = vi.fn();
  const held = createWriteBuffer({ callStore, writes: health, log: { ...silentLog, error }, ...options });
  const stop = probeWrites(health, clock);
  return {
    ...{ clock, store, held, health, tried, error, stop },
    fill: () => {
      isFull = true;
    },
    makeRoom: async () => {
      isFull = false;
      await clock.advance(10_000);
    },
  };
}

const bound = (callStore: ReturnType<typeof createMemoryStore>['calls']) => ({
  call: callStore.call.bind(callStore),
  checkpoint: callStore.checkpoint.bind(callStore),
  journal: callStore.journal.bind(callStore),
  journalPage: callStore.journalPage.bind(callStore),
  list: callStore.list.bind(callStore),
  unfinished: callStore.unfinished.bind(callStore),
  adopt: callStore.adopt.bind(callStore),
  ownership: callStore.ownership.bind(callStore),
  ownedBy: callStore.ownedBy.bind(callStore),
  owners: callStore.owners.bind(callStore),
});

const ended = (callId: string) => recordOf(callId, { state: 'disconnected', endedMs: T0 + 9 });

describe('writes of a full disk', () => {
  it('are held in order, read as if they were written, and written when there is room, events included', async () => {
    const { store, held, fill, makeRoom } = stand();
    const told: string[] = [];
    store.outbox.subscribe((arrived) => void told.push(...arrived.map(({ id }) => id)));
    await held.callStore.commit(writeOf('call-1', [1]));
    fill();
    await held.callStore.commit(writeOf('call-1', [2], { deliveries: [deliveryOf('d1', 'call-1')] }));
    await held.callStore.commit(
      writeOf('call-1', [3, 4], { record: ended('call-1'), deliveries: [deliveryOf('d2', 'call-1')] }),
    );
    expect(held.bufferedCalls).toBe(1);
    expect((await held.callStore.call('call-1'))?.endedMs).toBe(T0 + 9);
    expect((await held.callStore.journal('call-1')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    const seqsAfter = async (afterSeq: number, limit: number) => {
      const { entries, hasMore } = await held.callStore.journalPage('call-1', { afterSeq, limit });
      return [entries.map(({ seq }) => seq), hasMore];
    };
    expect([await seqsAfter(0, 2), await seqsAfter(0, 4), await seqsAfter(2, 9), await seqsAfter(4, 9)]).toEqual([
      [[1, 2], true],
      [[1, 2, 3, 4], false],
      [[3, 4], false],
      [[], false],
    ]);
    expect(await held.callStore.unfinished()).toEqual([]);
    expect([(await store.calls.journal('call-1')).length, told]).toEqual([1, []]);
    await makeRoom();
    expect(held.bufferedCalls).toBe(0);
    expect((await store.calls.journal('call-1')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect((await store.calls.call('call-1'))?.endedMs).toBe(T0 + 9);
    expect(told).toEqual(['d1', 'd2']);
    // And on as before.
    await held.callStore.commit(writeOf('call-1', [5]));
    expect(await store.calls.journal('call-1')).toHaveLength(5);
  });

  it('are refused if they are the first of a call: unstored calls are not reported', async () => {
    const { held, fill } = stand();
    fill();
    await expect(held.callStore.commit(writeOf('call-1', [1]))).rejects.toThrow('the disk is full');
    expect(held.bufferedCalls).toBe(0);
  });

  it('are bounded; beyond that only the ends of calls are held', async () => {
    const { store, held, fill, makeRoom } = stand({ maxCharacters: 1000 });
    for (const id of ['a', 'b']) await held.callStore.commit(writeOf(id, [1]));
    fill();
    await held.callStore.commit(writeOf('a', [2, 3, 4, 5, 6, 7, 8, 9]));
    await expect(held.callStore.commit(writeOf('b', [2, 3, 4, 5]))).rejects.toThrow(WriteError);
    await held.callStore.commit(writeOf('b', [2], { record: ended('b') }));
    await makeRoom();
    expect((await store.calls.call('b'))?.endedMs).toBe(T0 + 9);
    expect(await store.calls.journal('a')).toHaveLength(9);
  });

  it('are tried by a probe, at most every five seconds, and by nothing else', async () => {
    const { held, clock, fill, tried, health } = stand();
    await held.callStore.commit(writeOf('call-1', [1]));
    fill();
    for (let seq = 2; seq < 50; seq++) await held.callStore.commit(writeOf('call-1', [seq]));
    const probe = vi.spyOn(health, 'probe');
    await clock.advance(60_000);
    expect(tried).toHaveLength(2);
    expect(probe.mock.calls.length).toBeGreaterThan(10);
    expect(probe.mock.calls.length).toBeLessThan(16);
  });

  it('are dropped with a report if invalid, without delaying others', async () => {
    const { store, held, fill, makeRoom, error } = stand();
    for (const id of ['a', 'b']) await held.callStore.commit(writeOf(id, [1]));
    fill();
    await held.callStore.commit(writeOf('a', [3]));
    await held.callStore.commit(writeOf('b', [2]));
    await makeRoom();
    expect(held.bufferedCalls).toBe(0);
    expect(error).toHaveBeenCalledWith('call.not_written', expect.objectContaining({ callId: 'a' }));
    expect(await store.calls.journal('b')).toHaveLength(2);
  });

  it('are delayed until there is room, for other work as well', async () => {
    const { held, fill, makeRoom, health } = stand();
    fill();
    health.failed(new WriteError('disk_full'));
    const done = vi.fn();
    held.whenWritable(() => {
      if (health.failure) throw new WriteError('disk_full');
      done();
    });
    expect(done).not.toHaveBeenCalled();
    await makeRoom();
    expect(done).toHaveBeenCalledTimes(1);
  });
});
