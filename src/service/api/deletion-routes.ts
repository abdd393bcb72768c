/** Routes with which a project deletes its data: that of an ended call, or a recording. */
import { type VoiceRoute, voiceRoute } from './voice-route.ts';

export const DELETION_ROUTES: readonly VoiceRoute[] = [
  voiceRoute('Calls', 'DELETE', '/voice/v1/call/{voice_id}/data', {
    summary: 'deletes all data of an ended call: record, journal, recordings and pending events',
    response: 'deleted',
    errors: ['unknown_call', 'still_live'],
    async handle({ projectId, params }, { people }) {
      await people.deleteCall(projectId, params.voice_id);
      return { status: 'success', voice_id: params.voice_id };
    },
  }),
  voiceRoute('Recordings', 'DELETE', '/voice/v1/recording/{recording_id}', {
    summary: 'deletes a recording',
    response: 'deleted',
    errors: ['unknown_recording', 'still_live'],
    async handle({ projectId, params }, { people }) {
      await people.deleteRecording(projectId, params.recording_id);
      return { status: 'success', recording_id: params.recording_id };
    },
  }),
];
