/**
 * At the start: calls that were live when the service died are closed, and their applications are informed: first of the
 * end of everything that was going on, then of the end of the call. This comes before the first call begins, and after
 * recordings were repaired (`recordings.ts`).
 *
 * Invariant: the ends of a call are written at once, in order. A crash in the middle is harmless: what was not written is
 * found again, and what was written is not sent twice.
 */
import { TEMPORARY_FAILURE } from '../core/causes.ts';
import type { CallRecord, JournalEntry, NewEntry } from '../runtime/journal.ts';
import { endingsOf, openActionsOf, type RecoveredRecording, roomIdOf } from '../runtime/open-actions.ts';
import type { CallParts } from './call-parts.ts';

type RecoveryParts = Pick<CallParts, 'callStore' | 'clock' | 'deliveriesOf' | 'log' | 'recordings'>;

/** How many there were. */
export async function recoverCalls(parts: RecoveryParts): Promise<number> {
  const lost = parts.callStore.unfinished();
  for (const record of lost) await closeLostCall(record, parts);
  return lost.length;
}

async function closeLostCall(found: CallRecord, parts: RecoveryParts): Promise<void> {
  const { callStore, clock, deliveriesOf, log, recordings } = parts;
  const journal = callStore.journal(found.callId);
  const { record, entries } = lostCall(found, journal, {
    // Somebody may have set the clock back since.
    atMs: Math.max(clock.now(), journal.at(-1)?.atMs ?? found.startedMs),
    recordingOf: (recordingId) => recordings.found(recordingId),
  });
  await callStore.commit({
    record,
    checkpoint: callStore.checkpoint(found.callId) ?? { frames: [], visit: 0 },
    entries,
    deliveries: entries.flatMap((entry) => deliveriesOf(entry, record)),
  });
  log.warn('call.lost', { callId: found.callId, state: record.state });
}

/** What is written of a call whose run is gone: `journal` is all that it wrote. */
export function lostCall(
  found: CallRecord,
  journal: readonly JournalEntry[],
  { atMs, recordingOf }: { atMs: number; recordingOf(recordingId: string): RecoveredRecording },
): { record: CallRecord; entries: JournalEntry[] } {
  const unanswered = found.direction === 'outbound' && found.answeredMs === undefined;
  // The end of a call whose leg had ended was sent already.
  const isTold = found.state === 'disconnected' || found.state === 'failed';
  const state = isTold ? found.state : unanswered ? 'failed' : 'disconnected';
  const open = openActionsOf(journal);
  const roomId = roomIdOf(open);
  const record: CallRecord = {
    ...found,
    state,
    endedMs: found.endedMs ?? atMs,
    cause: found.cause ?? TEMPORARY_FAILURE,
    hangupBy: found.hangupBy ?? 'service',
    ...(roomId === undefined ? {} : { roomId }),
    ...(found.recordings ? { recordings: found.recordings.map((row) => withLength(row, recordingOf)) } : {}),
    ...(found.bridges ? { bridges: found.bridges.map((row) => withEnd(row, atMs)) } : {}),
  };
  const news: NewEntry[] = [
    { kind: 'in', input: { type: 'lost' } },
    ...endingsOf(open, { cause: TEMPORARY_FAILURE, recordingOf }),
    ...(isTold ? [] : [{ kind: 'state' as const, state, cause: TEMPORARY_FAILURE }]),
    { kind: 'ended', reason: 'lost' },
  ];
  const seqBefore = journal.at(-1)?.seq ?? 0;
  const entries = news.map((entry, index) => ({ seq: seqBefore + index + 1, atMs, ...entry }) as JournalEntry);
  return { record, entries };
}

type RecordingRow = NonNullable<CallRecord['recordings']>[number];
type BridgeRow = NonNullable<CallRecord['bridges']>[number];

function withLength(row: RecordingRow, recordingOf: (recordingId: string) => RecoveredRecording): RecordingRow {
  if (row.durationMs !== undefined) return row;
  return { ...row, durationMs: recordingOf(row.recordingId).durationMs };
}

const withEnd = (row: BridgeRow, endedMs: number): BridgeRow =>
  row.endedMs === undefined ? { ...row, endedMs, cause: TEMPORARY_FAILURE } : row;
