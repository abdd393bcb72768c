/**
 * Deletes the data of an ended room session: its archive with all files, its reports, its journal, and its pending and
 * dead-lettered events. The room remains.
 */
import { CallError } from '../call-error.ts';
import type { DeletionParts } from './delete-call.ts';

export interface SessionDeletionParts extends Pick<DeletionParts, 'store' | 'deliveries' | 'log'> {
  rooms: {
    isLive(projectId: string, confNum: string): boolean;
    /**
     * Undefined if there is no archive. `open`: it is still being written, which takes some seconds after the session.
     */
    archiveState(projectId: string, confNum: string): string | undefined;
    removeArchive(confNum: string): Promise<void>;
  };
}

/** Throws `unknown_session`, also for a session of another project, and `still_live`. */
export async function deleteSession(
  projectId: string,
  confNum: string,
  { rooms, store, deliveries, log }: SessionDeletionParts,
): Promise<void> {
  const archive = rooms.archiveState(projectId, confNum);
  if (archive === 'open' || rooms.isLive(projectId, confNum))
    throw new CallError('still_live', 'the session has not ended');
  if (archive !== undefined) await rooms.removeArchive(confNum);
  const deleted = await store.deleteSession(projectId, confNum);
  if (archive === undefined && deleted.roomEntries === 0)
    throw new CallError('unknown_session', 'there is no such session');
  deliveries.forget(deleted.deliveries);
  log.info('session.deleted', { confNum, entries: deleted.roomEntries, events: deleted.deliveries.length });
}
