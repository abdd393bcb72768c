/** The use cases of people's data, behind the API. `owner`: the project whose data it has to be; absent: of any project. */
import { type DeletionParts, deleteCall, deleteRecording } from './delete-call.ts';

export type People = ReturnType<typeof createPeople>;

export const createPeople = (parts: DeletionParts) => ({
  deleteCall: (owner: string | undefined, callId: string): Promise<void> => deleteCall(owner, callId, parts),
  deleteRecording: (owner: string | undefined, recordingId: string): Promise<void> =>
    deleteRecording(owner, recordingId, parts),
});
