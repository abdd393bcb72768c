/** Use cases of personal data, behind the API. `owner`: project that must own the data; absent: any. */
import { serialQueue } from '../serial-queue.ts';
import { deleteCall, deleteRecording } from './delete-call.ts';
import { deleteSession, type SessionDeletionParts } from './delete-session.ts';
import { type ForgetOrder, type ForgetParts, type ForgetReport, forget } from './forget.ts';

export type People = ReturnType<typeof createPeople>;
/** Use cases available to projects for their own data. */
export type Deletions = Pick<People, 'deleteCall' | 'deleteRecording' | 'deleteSession'>;

export function createPeople(parts: ForgetParts & SessionDeletionParts) {
  const inTurn = serialQueue();
  return {
    deleteCall: (owner: string | undefined, callId: string): Promise<void> => deleteCall(owner, callId, parts),
    deleteRecording: (owner: string | undefined, recordingId: string): Promise<void> =>
      deleteRecording(owner, recordingId, parts),
    deleteSession: (projectId: string, confNum: string): Promise<void> => deleteSession(projectId, confNum, parts),
    /** Serialised, because it reads all stored data. */
    forget: (order: ForgetOrder): Promise<ForgetReport> => inTurn(() => forget(order, parts)),
  };
}
