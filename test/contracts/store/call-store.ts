/** The contract of `CallStore`. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/service/store/store.ts';
import { deliveryOf, logEntry, recordOf, T0, writeOf } from './call-fixtures.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

export function runCallStoreContract(make: MakeStoreHarness): void {
  describe('call store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });

    it('gives back the record, checkpoint and journal of a call', async () => {
      const write = writeOf('call-1', [1, 2]);
      await store.calls.commit(write);
      await store.calls.commit(writeOf('call-1', [3], { record: recordOf('call-1', { state: 'bridged' }) }));
      expect(await store.calls.call('call-1')).toEqual(recordOf('call-1', { state: 'bridged' }));
      expect(await store.calls.checkpoint('call-1')).toEqual({ ...write.checkpoint, visit: 3 });
      expect(await store.calls.journal('call-1')).toEqual([logEntry(1), logEntry(2), logEntry(3)]);
    });

    it('gives a journal in pages that neither repeat nor miss an entry, whatever commits they cut', async () => {
      await store.calls.commit(writeOf('other', [1, 2]));
      for (const seqs of [[1, 2, 3], [4], [5, 6, 7]]) await store.calls.commit(writeOf('call-1', seqs));
      for (const limit of [1, 2, 3, 5, 7, 20]) {
        const seqs: number[] = [];
        for (let afterSeq = 0, hasMore = true; hasMore; afterSeq = seqs.at(-1)!) {
          const page = await store.calls.journalPage('call-1', { afterSeq, limit });
          expect(page.entries.length).toBe(Math.min(limit, 7 - afterSeq));
          seqs.push(...page.entries.map(({ seq }) => seq));
          hasMore = page.hasMore;
        }
        expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7]);
      }
      expect((await store.calls.journalPage('call-1', { afterSeq: 3, limit: 2 })).entries).toEqual([
        logEntry(4),
        logEntry(5),
      ]);
      expect(await store.calls.journalPage('call-1', { afterSeq: 7, limit: 5 })).toEqual({
        entries: [],
        hasMore: false,
      });
      expect(await store.calls.journalPage('nobody', { afterSeq: 0, limit: 5 })).toEqual({
        entries: [],
        hasMore: false,
      });
    });

    it('ends a page of a journal early where its entries are long', async () => {
      const long = (seq: number) => logEntry(seq, 'x'.repeat(400_000));
      for (let seq = 1; seq <= 8; seq++) await store.calls.commit(writeOf('call-1', [], { entries: [long(seq)] }));
      const first = await store.calls.journalPage('call-1', { afterSeq: 0, limit: 100 });
      expect([first.entries.length, first.hasMore]).toEqual([3, true]);
      const last = await store.calls.journalPage('call-1', { afterSeq: 6, limit: 100 });
      expect([last.entries.length, last.hasMore]).toEqual([2, false]);
    });

    it('lists the calls of a project, the newest first, in pages that neither repeat nor miss one', async () => {
      const begun = [5, 1, 3, 3, 3, 2, 4].map((atMs, index) =>
        recordOf(`call-${index}`, { startedMs: T0 + atMs, projectId: index === 6 ? 'other' : 'mine' }),
      );
      for (const record of begun) await store.calls.commit(writeOf(record.callId, [1], { record }));
      const all = { projectId: 'mine', fromMs: 0, toMs: T0 + 100 };
      const whole = await store.calls.list({ ...all, limit: 100 });
      expect(whole.map(({ record }) => record.startedMs - T0)).toEqual([5, 3, 3, 3, 2, 1]);
      const walked: string[] = [];
      for (let page = await store.calls.list({ ...all, limit: 2 }); page.length > 0; ) {
        walked.push(...page.map(({ record }) => record.callId));
        page = await store.calls.list({ ...all, limit: 2, after: page.at(-1)!.cursor });
      }
      expect(walked).toEqual(whole.map(({ record }) => record.callId));
      const between = await store.calls.list({ ...all, fromMs: T0 + 2, toMs: T0 + 3, limit: 100 });
      expect(between.map(({ record }) => record.startedMs - T0)).toEqual([3, 3, 3, 2]);
      expect(await store.calls.list({ ...all, projectId: 'nobody', limit: 100 })).toEqual([]);
    });

    it('lists the live calls of a project alone, in pages', async () => {
      const live = [];
      for (let n = 0; n < 9; n++) {
        const record = recordOf(`call-${n}`, { startedMs: T0 + n, ...(n % 3 === 0 ? {} : { endedMs: T0 + 50 }) });
        await store.calls.commit(writeOf(record.callId, [1], { record }));
      }
      await store.calls.commit(writeOf('theirs', [1], { record: recordOf('theirs', { projectId: 'other' }) }));
      const all = { projectId: 'project-1', fromMs: 0, toMs: T0 + 100, isLive: true, limit: 2 };
      for (let page = await store.calls.list(all); page.length > 0; ) {
        live.push(...page.map(({ record }) => record.callId));
        page = await store.calls.list({ ...all, after: page.at(-1)!.cursor });
      }
      expect(live).toEqual(['call-6', 'call-3', 'call-0']);
    });

    it('knows nothing of a call that was never written', async () => {
      expect(await store.calls.call('nobody')).toBeUndefined();
      expect(await store.calls.checkpoint('nobody')).toBeUndefined();
      expect(await store.calls.journal('nobody')).toEqual([]);
    });

    it('keeps what was written as it was at the commit, whatever becomes of the objects', async () => {
      const write = writeOf('call-1', [1], { deliveries: [deliveryOf('d1', 'call-1')] });
      const done = store.calls.commit(write);
      write.record.state = 'failed';
      write.entries[0]!.atMs = 0;
      write.checkpoint.frames.length = 0;
      write.deliveries[0]!.payload['n'] = 'changed';
      await done;
      const read = (await store.calls.call('call-1'))!;
      read.to = 'changed';
      expect(await store.calls.call('call-1')).toEqual(recordOf('call-1'));
      expect(await store.calls.journal('call-1')).toEqual([logEntry(1)]);
      expect((await store.calls.checkpoint('call-1'))?.frames).toHaveLength(1);
      expect(JSON.parse((await store.outbox.find('d1'))!.body)).toEqual({ voice_id: 'call-1', n: 'd1' });
    });

    it('keeps the writes of a call in order when they are not waited for', async () => {
      const writes = Array.from({ length: 50 }, (_, index) => store.calls.commit(writeOf('call-1', [index + 1])));
      await Promise.all(writes);
      expect((await store.calls.journal('call-1')).map((entry) => entry.seq)).toEqual(
        Array.from({ length: 50 }, (_, i) => i + 1),
      );
      expect((await store.calls.checkpoint('call-1'))?.visit).toBe(50);
    });

    it('keeps the journals of calls apart that write at the same time', async () => {
      const callIds = ['a', 'b', 'c'];
      await Promise.all(
        [1, 2, 3].flatMap((seq) => callIds.map((callId) => store.calls.commit(writeOf(callId, [seq])))),
      );
      for (const callId of callIds) expect(await store.calls.journal(callId)).toHaveLength(3);
    });

    it('takes a write without entries', async () => {
      await store.calls.commit(writeOf('call-1', []));
      await store.calls.commit(writeOf('call-1', [1]));
      await store.calls.commit(writeOf('call-1', [], { record: recordOf('call-1', { state: 'disconnected' }) }));
      expect((await store.calls.call('call-1'))?.state).toBe('disconnected');
      expect(await store.calls.journal('call-1')).toHaveLength(1);
    });

    it.each([
      ['a number that is there and one that is not', [2, 3]],
      ['a gap to the entry before', [4]],
      ['a gap within the write', [3, 5]],
      ['entries out of order', [4, 3]],
    ])('refuses %s in a journal (J1), and writes nothing of it', async (_, seqs) => {
      await store.calls.commit(writeOf('call-1', [1, 2]));
      const wrong = writeOf('call-1', seqs, {
        record: recordOf('call-1', { state: 'failed' }),
        deliveries: [deliveryOf('d1', 'call-1')],
      });
      await expect(store.calls.commit(wrong)).rejects.toThrow('does not follow');
      expect((await store.calls.call('call-1'))?.state).toBe('connected');
      expect((await store.calls.checkpoint('call-1'))?.visit).toBe(2);
      expect(await store.calls.journal('call-1')).toHaveLength(2);
      expect(await store.outbox.headOfLine('call-1', 9)).toEqual([]);
    });

    it('refuses a first write that does not begin at 1', async () => {
      await expect(store.calls.commit(writeOf('call-1', [2]))).rejects.toThrow('does not follow');
      expect(await store.calls.call('call-1')).toBeUndefined();
    });

    it('writes all of a decision or nothing: a delivery that cannot be taken takes the rest back', async () => {
      await store.calls.commit(writeOf('call-1', [1], { deliveries: [deliveryOf('d1', 'call-1')] }));
      const wrong = writeOf('call-1', [2], { deliveries: [deliveryOf('d2', 'call-1'), deliveryOf('d1', 'call-1')] });
      await expect(store.calls.commit(wrong)).rejects.toThrow();
      expect((await store.calls.checkpoint('call-1'))?.visit).toBe(1);
      expect(await store.calls.journal('call-1')).toHaveLength(1);
      expect((await store.outbox.headOfLine('call-1', 9)).map(({ id }) => id)).toEqual(['d1']);
    });

    it('isolates a failed write from other calls, and stops the later writes of its own', async () => {
      const settled = await Promise.allSettled([
        store.calls.commit(writeOf('good', [1])),
        store.calls.commit(writeOf('bad', [2])),
        store.calls.commit(writeOf('bad', [3])),
        store.calls.commit(writeOf('good', [2])),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
      expect(await store.calls.journal('good')).toHaveLength(2);
      expect(await store.calls.call('bad')).toBeUndefined();
    });

    it('rejects what is not JSON instead of throwing', async () => {
      const circular = writeOf('call-1', [1]);
      (circular.checkpoint.frames[0]!.vars as Record<string, unknown>)['self'] = circular;
      const committed = store.calls.commit(circular);
      await expect(committed).rejects.toThrow();
      expect(await store.calls.call('call-1')).toBeUndefined();
    });

    it('lists the calls without an end, oldest first', async () => {
      await store.calls.commit(writeOf('young', [1], { record: recordOf('young', { startedMs: T0 + 5 }) }));
      await store.calls.commit(writeOf('old', [1], { record: recordOf('old') }));
      await store.calls.commit(writeOf('over', [1], { record: recordOf('over', { endedMs: T0 + 9 }) }));
      expect((await store.calls.unfinished()).map((record) => record.callId)).toEqual(['old', 'young']);
      await store.calls.commit(
        writeOf('old', [2], { record: recordOf('old', { endedMs: T0 + 9, state: 'disconnected' }) }),
      );
      expect((await store.calls.unfinished()).map((record) => record.callId)).toEqual(['young']);
    });

    it('keeps texts of every kind', async () => {
      const message = 'é "quoted" \u0000 \u2028 👋 \'; DROP TABLE calls; --';
      await store.calls.commit(writeOf(message, [], { record: recordOf(message), entries: [logEntry(1, message)] }));
      expect((await store.calls.call(message))?.callId).toBe(message);
      expect(await store.calls.journal(message)).toEqual([logEntry(1, message)]);
    });

    it('forgets calls that ended long ago with their journals, and no others', async () => {
      const ended = (callId: string, endedMs: number) =>
        store.calls.commit(writeOf(callId, [1], { record: recordOf(callId, { endedMs }) }));
      for (let n = 0; n < 120; n++) await ended(`old-${n}`, T0 + n);
      await ended('recent', T0 + 1000);
      await store.calls.commit(writeOf('live', [1]));
      expect(await store.prune({ callsEndedBeforeMs: T0 + 1000, deadBeforeMs: 0 })).toMatchObject({ calls: 120 });
      expect(await store.calls.call('old-119')).toBeUndefined();
      expect(await store.calls.journal('old-119')).toEqual([]);
      expect(await store.calls.journal('recent')).toHaveLength(1);
      expect(await store.calls.journal('live')).toHaveLength(1);
      expect(await store.prune({ callsEndedBeforeMs: T0 + 1000, deadBeforeMs: 0 })).toMatchObject({ calls: 0 });
    });

    it('still has everything after it was closed and opened again', async ({ skip }) => {
      const unwaited = store.calls.commit(writeOf('call-1', [1, 2]));
      await reopen(skip);
      await unwaited;
      expect(await store.calls.journal('call-1')).toEqual([logEntry(1), logEntry(2)]);
      await store.calls.commit(writeOf('call-1', [3]));
      await expect(store.calls.commit(writeOf('call-1', [5]))).rejects.toThrow('does not follow');
      expect((await store.calls.unfinished()).map((record) => record.callId)).toEqual(['call-1']);
    });
  });
}
