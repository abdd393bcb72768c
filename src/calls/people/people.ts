/** The use cases of people's data, behind the API. `owner`: the project whose data it has to be; absent: of any project. */
import { oneAtATime } from '../one-at-a-time.ts';
import { deleteCall, deleteRecording } from './delete-call.ts';
import { deleteSession, type SessionDeletionParts } from './delete-session.ts';
import { type ForgetOrder, type ForgetParts, type ForgetReport, forget } from './forget.ts';

export type People = ReturnType<typeof createPeople>;
/** What projects do with their own. */
export type Deletions = Pick<People, 'deleteCall' | 'deleteRecording' | 'deleteSession'>;

export function createPeople(parts: ForgetParts & SessionDeletionParts) {
  const inTurn = oneAtATime();
  return {
    deleteCall: (owner: string | undefined, callId: string): Promise<void> => deleteCall(owner, callId, parts),
    deleteRecording: (owner: string | undefined, recordingId: string): Promise<void> =>
      deleteRecording(owner, recordingId, parts),
    deleteSession: (projectId: string, confNum: string): Promise<void> => deleteSession(projectId, confNum, parts),
    /** It reads all that is kept: one after the other. */
    forget: (order: ForgetOrder): Promise<ForgetReport> => inTurn(() => forget(order, parts)),
  };
}
