/** People's data, of all projects: calls and recordings deleted. */
import { type AdminRoute, adminRoute, DONE, doneBody } from './admin-route.ts';

export const PEOPLE_ROUTES: readonly AdminRoute[] = [
  adminRoute('DELETE', '/calls/{voice_id}', {
    summary: 'deletes all that is kept about a call that is over, of any project',
    response: DONE,
    errors: ['unknown_call', 'still_live'],
    async handle({ params }, parts) {
      await parts.people.deleteCall(undefined, params.voice_id);
      return doneBody(parts);
    },
  }),
  adminRoute('DELETE', '/recordings/{recording_id}', {
    summary: 'deletes a recording of any project',
    response: DONE,
    errors: ['unknown_recording', 'still_live'],
    async handle({ params }, parts) {
      await parts.people.deleteRecording(undefined, params.recording_id);
      return doneBody(parts);
    },
  }),
];
