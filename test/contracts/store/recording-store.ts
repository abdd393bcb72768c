/** The contract of `RecordingStore`. */
import { describe, expect, it } from 'vitest';
import type { KeptRecording } from '../../../src/service/calls/recordings/recording-store.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { type MakeStoreHarness, openForEach } from './each-store.ts';

const recordingOf = (recordingId: string, more: Partial<KeptRecording> = {}): KeptRecording => ({
  recordingId,
  projectId: 'shop',
  callId: 'call-1',
  file: `recordings/${recordingId}.wav`,
  state: 'open',
  createdMs: 17,
  ...more,
});

export function runRecordingStoreContract(make: MakeStoreHarness): void {
  describe('recording store contract', () => {
    let store: Store;
    const reopen = openForEach(make, (opened) => {
      store = opened;
    });

    it('finds what was added, open until it is closed', () => {
      expect(store.recordings.add(recordingOf('r1', { name: 'first' }))).toBe(true);
      expect(store.recordings.add(recordingOf('r2'))).toBe(true);
      expect(store.recordings.find('r1')).toEqual(recordingOf('r1', { name: 'first' }));
      expect(store.recordings.find('r2')).toEqual(recordingOf('r2'));
      expect(store.recordings.find('r3')).toBeUndefined();
      store.recordings.close('r1', { state: 'completed', durationMs: 1500 });
      expect(store.recordings.find('r1')).toEqual(
        recordingOf('r1', { name: 'first', state: 'completed', durationMs: 1500 }),
      );
      expect(store.recordings.find('r2')?.state).toBe('open');
    });

    it('keeps one of each name in a project, and takes the name of one that failed', () => {
      store.recordings.add(recordingOf('r1', { name: 'a' }));
      expect(store.recordings.add(recordingOf('r2', { name: 'a' }))).toBe(false);
      expect(store.recordings.find('r2')).toBeUndefined();
      expect(store.recordings.add(recordingOf('r3', { name: 'a', projectId: 'other' }))).toBe(true);
      expect(store.recordings.add(recordingOf('r4', { name: 'A' }))).toBe(true);
      store.recordings.close('r1', { state: 'completed', durationMs: 1 });
      expect(store.recordings.add(recordingOf('r5', { name: 'a' }))).toBe(false);
      store.recordings.close('r1', { state: 'failed', durationMs: 0 });
      expect(store.recordings.add(recordingOf('r6', { name: 'a' }))).toBe(true);
    });

    it('takes no notice of the end of one that is not there', () => {
      expect(() => store.recordings.close('nobody', { state: 'completed', durationMs: 1 })).not.toThrow();
    });

    it('returns copies of its recordings', () => {
      store.recordings.add(recordingOf('r1'));
      store.recordings.find('r1')!.state = 'failed';
      expect(store.recordings.find('r1')?.state).toBe('open');
    });

    it('lists recordings that were left open, and no others', () => {
      store.recordings.add(recordingOf('r1'));
      store.recordings.add(recordingOf('r2'));
      store.recordings.close('r2', { state: 'completed', durationMs: 1 });
      expect(store.recordings.unfinished()).toEqual([recordingOf('r1')]);
      store.recordings.close('r1', { state: 'failed', durationMs: 0 });
      expect(store.recordings.unfinished()).toEqual([]);
    });

    it('lists old closed recordings, the oldest first, and removes them', () => {
      for (const [id, createdMs] of [
        ['r3', 30],
        ['r1', 10],
        ['r2', 20],
        ['r4', 40],
        ['r0', 5],
      ] as const) {
        store.recordings.add(recordingOf(id, { createdMs, name: id }));
        if (id !== 'r0') store.recordings.close(id, { state: id === 'r2' ? 'failed' : 'completed', durationMs: 1 });
      }
      const old = (most: number) => store.recordings.olderThan(40, most).map(({ recordingId }) => recordingId);
      expect([old(9), old(2)]).toEqual([
        ['r1', 'r2', 'r3'],
        ['r1', 'r2'],
      ]);
      store.recordings.remove('r1');
      store.recordings.remove('nobody');
      expect([old(9), store.recordings.find('r1')]).toEqual([['r2', 'r3'], undefined]);
      expect(store.recordings.add(recordingOf('r5', { name: 'r1' }))).toBe(true);
    });

    it('still has the recordings after it was closed and opened again', async ({ skip }) => {
      store.recordings.add(recordingOf('r1', { name: 'a' }));
      await reopen(skip);
      expect(store.recordings.find('r1')).toEqual(recordingOf('r1', { name: 'a' }));
      expect(store.recordings.add(recordingOf('r2', { name: 'a' }))).toBe(false);
    });
  });
}
