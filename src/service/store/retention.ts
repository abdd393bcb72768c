/**
 * Deletes expired data, at the start and then every hour.
 *
 * Invariants
 *  T1 The file of a recording is deleted before its row, so that no file is left without a row.
 *  T2 Nothing outside the data directory is deleted, whatever the rows contain: a copy of the data does not affect the
 *     original.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import { removeBelow } from '../../base/core/data-path.ts';
import type { Log } from '../../base/core/log.ts';
import { MAX_RECEIPTS, RECEIPT_TTL_MS } from '../../base/core/receipt.ts';
import type { Store } from './store.ts';

const DAY_MS = 86_400_000;
const INTERVAL_MS = 3_600_000;
const RECORDINGS_PER_BATCH = 100;

export interface RetentionOptions {
  store: Pick<Store, 'prune' | 'receipts' | 'recordings' | 'changes'>;
  /** Archives of room sessions: deletes older ones with their files, and returns how many. */
  archives?: { forget(beforeMs: number): Promise<number> };
  clock: Clock;
  log: Log;
  /** Data directory, which contains the files of recordings. */
  directory: string;
  /** Retention of calls with their journals, and of broadcasts, after their end. */
  callDays: number;
  /** Retention of recordings after their beginning, independent of their calls. */
  recordingDays: number;
  /** Retention of the audit log. */
  trailDays?: number;
  /** Retention of dead letters and of disabled URLs. */
  deadDays?: number;
}

/** Returns a function that stops it. */
export function startRetention(options: RetentionOptions): () => void {
  const { store, clock, log, directory } = options;
  let timer: Timer | undefined;
  let stopped = false;

  /** T2 */
  const removeFile = async (recordingId: string, name: string): Promise<void> => {
    if (!(await removeBelow(directory, name))) log.warn('recording.left_outside', { recordingId, file: name });
  };

  /** Returns how many were deleted. A recording whose file cannot be deleted is retried next time. */
  const forgetRecordings = async (beforeMs: number): Promise<number> => {
    let gone = 0;
    for (;;) {
      const old = store.recordings.olderThan(beforeMs, RECORDINGS_PER_BATCH);
      let removed = 0;
      for (const { recordingId, file } of old) {
        try {
          await removeFile(recordingId, file);
          if (stopped) return gone;
          store.recordings.remove(recordingId);
          removed += 1;
        } catch (error) {
          log.error('recording.not_deleted', { recordingId, error });
        }
      }
      gone += removed;
      if (removed === 0 || old.length < RECORDINGS_PER_BATCH || stopped) return gone;
    }
  };

  const forget = async (): Promise<void> => {
    const nowMs = clock.now();
    try {
      const forgotten = await store.prune({
        callsEndedBeforeMs: nowMs - options.callDays * DAY_MS,
        deadBeforeMs: nowMs - (options.deadDays ?? 7) * DAY_MS,
      });
      if (stopped) return;
      const receipts = await store.receipts.prune({ beforeMs: nowMs - RECEIPT_TTL_MS, most: MAX_RECEIPTS });
      if (stopped) return;
      const recordings = await forgetRecordings(nowMs - options.recordingDays * DAY_MS);
      const archives = stopped ? 0 : ((await options.archives?.forget(nowMs - options.recordingDays * DAY_MS)) ?? 0);
      if (stopped) return;
      const changes = store.changes.forget(nowMs - (options.trailDays ?? 365) * DAY_MS);
      const gone = { ...forgotten, recordings, archives, receipts, changes };
      if (Object.values(gone).some((count) => count > 0)) log.info('store.forgot', gone);
    } catch (error) {
      // If the service stops meanwhile, the next start deletes the rest.
      if (!stopped) log.error('store.forget_failed', { error });
    }
    if (!stopped) timer = clock.after(INTERVAL_MS, () => void forget());
  };

  void forget();
  return () => {
    stopped = true;
    timer?.cancel();
  };
}
