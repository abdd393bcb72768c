/**
 * Closes calls whose node died, and informs their applications: first of the end of every open action, then of the end
 * of the call. At the start this runs before the first call begins, and after recordings were repaired
 * (`recordings.ts`).
 *
 * Invariants
 *  - The final entries of a call are written in one transaction, in order. A crash at any point is harmless: unwritten
 *    ends are found again, and written ones are not sent twice.
 *  - A call is adopted first: its earlier owner, should it still be alive, is fenced, and only one of several nodes
 *    closes it.
 */
import { TEMPORARY_FAILURE } from '../../../base/core/causes.ts';
import { Fenced, type NodeEpoch } from '../../../base/core/ownership.ts';
import { WriteError } from '../../../base/core/write-error.ts';
import type { CallRecord, JournalEntry, NewEntry } from '../../runtime/journal.ts';
import { endingsOf, openActionsOf, type RecoveredRecording, roomIdOf } from '../../runtime/open-actions.ts';
import type { CallParts } from '../call-parts.ts';

export interface RecoveryParts extends Pick<CallParts, 'callStore' | 'clock' | 'deliveriesOf' | 'log' | 'recordings'> {
  /** Epoch of the node that closes the calls. */
  owner: NodeEpoch;
}

/** Closes the calls of all other epochs: the data is used by this node alone. Returns how many there were. */
export async function recoverCalls(parts: RecoveryParts): Promise<number> {
  let count = 0;
  for (const dead of await parts.callStore.owners()) {
    if (dead !== parts.owner) count += await recoverCallsOf(dead, parts);
  }
  return count;
}

async function recoverCallsOf(dead: NodeEpoch, parts: RecoveryParts): Promise<number> {
  let count = 0;
  for (const callId of await parts.callStore.ownedBy(dead)) {
    if (await closeLostCall(callId, dead, parts)) count++;
  }
  return count;
}

async function closeLostCall(callId: string, dead: NodeEpoch, parts: RecoveryParts): Promise<boolean> {
  const seen = await parts.callStore.ownership(callId);
  if (seen?.owner !== dead || seen.isEnded) return false;
  const fence = await adoptedLater(callId, seen.fence, parts);
  return fence !== undefined && closeAdopted(callId, fence, parts);
}

/** Closes an adopted call. `why`: reason why it cannot be resumed. False if it has ended, or another node owns it. */
export async function closeAdopted(
  callId: string,
  fence: number,
  parts: RecoveryParts,
  why?: string,
): Promise<boolean> {
  const { callStore, clock, deliveriesOf, log, owner, recordings } = parts;
  const found = await callStore.call(callId);
  if (!found) return false;
  const journal = await callStore.journal(callId);
  const { record, entries } = lostCall(found, journal, {
    // The clock may have been set back since.
    atMs: Math.max(clock.now(), journal.at(-1)?.atMs ?? found.startedMs),
    recordingOf: (recordingId) => recordings.found(recordingId),
    ...(why === undefined ? {} : { why }),
  });
  const checkpoint = (await callStore.checkpoint(callId)) ?? { frames: [], visit: 0 };
  const deliveries = entries.flatMap((entry) => deliveriesOf(entry, record));
  try {
    await callStore.commit({ record, checkpoint, entries, deliveries, owner, fence });
  } catch (error) {
    if (error instanceof Fenced) return false;
    throw error;
  }
  log.warn('call.lost', { callId, state: record.state });
  return true;
}

/** While the store is not writable, the end waits to be written (`write-buffer.ts`) under the fence that was read. */
async function adoptedLater(
  callId: string,
  seenFence: number,
  { callStore, owner }: RecoveryParts,
): Promise<number | undefined> {
  try {
    return await callStore.adopt(callId, { owner, seenFence });
  } catch (error) {
    if (error instanceof WriteError) return seenFence;
    throw error;
  }
}

interface LostCallOptions {
  atMs: number;
  recordingOf(recordingId: string): RecoveredRecording;
  /** Reason why the call cannot be resumed on another node. */
  why?: string;
}

/** Final record and entries of a call whose run is gone; `journal` is complete. */
export function lostCall(
  found: CallRecord,
  journal: readonly JournalEntry[],
  { atMs, recordingOf, why }: LostCallOptions,
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
    ...(why === undefined ? [] : [{ kind: 'diagnostic' as const, code: 'not_adopted', message: why }]),
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
