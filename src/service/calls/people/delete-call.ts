/**
 * Deletes a recording, or an ended call with all its data: record, journal, recordings, pending and dead-lettered
 * events, stored responses to its requests, and entries in rooms and broadcasts.
 *
 * Invariants
 *  - A live call is never deleted.
 *  - Files are deleted before their rows: an interrupted deletion is completed by the same request.
 */
import type { CallRecord } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import type { CallParts } from '../call-parts.ts';
import { findCall } from '../control/control-call.ts';
import type { DeletedCalls, PeopleStore } from './people-store.ts';

export interface DeletionParts extends Pick<CallParts, 'supervisor' | 'callStore' | 'recordings' | 'log'> {
  store: PeopleStore;
  /** Events in memory that wait to be sent. */
  deliveries: { forget(ids: readonly string[]): void };
  /** True if writes of the call are pending. */
  isBuffered(callId: string): boolean;
}

/** Project that must own the calls; undefined: any. */
type Owner = string | undefined;

/** Throws `unknown_recording`, also for a recording of another project, and `still_live`. */
export async function deleteRecording(
  owner: Owner,
  recordingId: string,
  { recordings, log }: Pick<DeletionParts, 'recordings' | 'log'>,
): Promise<void> {
  const found = recordings.kept(recordingId);
  if (!found || (owner !== undefined && found.projectId !== owner)) {
    throw new CallError('unknown_recording', 'there is no such recording');
  }
  if (found.state === 'open') throw new CallError('still_live', 'the recording is being made');
  await recordings.remove(found);
  log.info('recording.deleted', { recordingId, callId: found.callId });
}

/** Throws `unknown_call`, also for a call of another project, and `still_live`. */
export async function deleteCall(owner: Owner, callId: string, parts: DeletionParts): Promise<void> {
  const record = await findCall(owner, callId, parts);
  if (isLive(record, parts)) {
    throw new CallError('still_live', 'the call has not ended', { hint: 'hang up first: DELETE without /data' });
  }
  const { recordings, deliveries } = await deleteCalls([record], parts);
  parts.log.info('call.deleted', { callId, recordings, events: deliveries.length });
}

/** True if the call is active or its end is not written yet. */
export const isLive = (
  { callId, endedMs }: CallRecord,
  { supervisor, isBuffered }: Pick<DeletionParts, 'supervisor' | 'isBuffered'>,
): boolean => endedMs === undefined || supervisor.view(callId) !== undefined || isBuffered(callId);

/** Deletes ended calls. */
export async function deleteCalls(
  records: readonly CallRecord[],
  { store, recordings, deliveries }: DeletionParts,
): Promise<DeletedCalls & { recordings: number }> {
  let files = 0;
  for (const { callId } of records) {
    for (const recording of store.recordingsOf(callId)) {
      await recordings.remove(recording);
      files += 1;
    }
  }
  const deleted = await store.deleteCalls(records);
  deliveries.forget(deleted.deliveries);
  return { ...deleted, recordings: files };
}
