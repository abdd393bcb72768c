/** Call routes, `/voice/v1/call…`, and routes of recordings. */
import type { JsonObject } from '../../base/core/json.ts';
import { connectCall, transferCall } from '../calls/control/connect-call.ts';
import { commandCall, HANG_UP, playOnCall, streamCall } from '../calls/control/control-call.ts';
import { type CallOrder, placeCall } from '../calls/control/place-call.ts';
import { promptNamed } from '../calls/prompts/play-order.ts';
import { analyzeCall } from '../calls/views/analyze-call.ts';
import type { CallCommand, CallRecord } from '../runtime/journal.ts';
import { ApiError } from './api-error.ts';
import {
  readConnect,
  readDialOut,
  readEvent,
  readForward,
  readHangup,
  readHold,
  readPlay,
  readRecording,
  readStream,
  readTransfer,
} from './call-bodies.ts';
import { LIST_CALLS } from './call-list-routes.ts';
import { actionBody, analysisBody, bridgeBody, connectedBody, playBody } from './response-bodies.ts';
import {
  ACTION_ERRORS,
  CONNECT_ERRORS,
  DIAL_ERRORS,
  DIAL_FROM_CALL_ERRORS,
  LIVE_CALL_ERRORS,
  PLAY_ERRORS,
  PROMPT_ERRORS,
} from './route-errors.ts';
import { sendAudio } from './send-file.ts';
import {
  aliasOf,
  checkEventUrl,
  disabledEventUrlNote,
  newCall,
  routeOfAction,
  type VoiceHandler,
  type VoiceParts,
  type VoiceRequest,
  type VoiceRoute,
  voiceRoute,
} from './voice-route.ts';

const CALLS = '/voice/v1/call';
export const CALL = `${CALLS}/{voice_id}`;
const RECORDINGS = '/voice/v1/recording';

/** Handler that runs a single command without a body. */
const commanded =
  (command: CallCommand): VoiceHandler =>
  async ({ projectId, params }, { calls }) =>
    actionBody((await commandCall({ projectId, callId: params.voice_id }, command, calls)).record, 'success');

export const PLAY = voiceRoute('Calls', 'PUT', `${CALL}/play`, {
  summary: 'plays a prompt, or collects digits or speech',
  body: 'play',
  response: 'play',
  errors: PLAY_ERRORS,
  async handle({ projectId, params, body }, { calls }) {
    const order = readPlay(body);
    const { record, playId } = await playOnCall({ projectId, callId: params.voice_id }, order, calls);
    return playBody(record, playId, order.promptRef);
  },
});

export const CONNECT = voiceRoute('Calls', 'PUT', `${CALL}/connect`, {
  isIdempotent: true,
  summary: 'bridges the call to another party; a prompt ends, and the call leaves a conference or room',
  body: 'connect',
  response: 'connect',
  errors: CONNECT_ERRORS,
  async handle({ projectId, params, body }, { calls }) {
    return bridgeBody(await connectCall({ projectId, callId: params.voice_id }, readConnect(body), calls));
  },
});

const HOLD = voiceRoute('Calls', 'POST', `${CALL}/hold`, {
  summary: 'puts the call on hold, or resumes it',
  body: 'hold',
  response: 'hold',
  errors: [...LIVE_CALL_ERRORS, 'ringing', 'unknown_prompt'],
  async handle({ projectId, params, body }, { calls }) {
    const { hold, prompt_name: promptName } = readHold(body);
    const music = promptName === undefined ? {} : { music: { ...promptNamed(calls.prompts(), promptName) } };
    const { record } = await commandCall(
      { projectId, callId: params.voice_id },
      { type: 'hold', hold, ...music },
      calls,
    );
    return actionBody(record, 'success', { hold });
  },
});

const ACCEPT = voiceRoute('Calls', 'POST', `${CALL}/accept`, {
  summary: 'answers an inbound call that waits for acceptance',
  response: 'call',
  errors: [...LIVE_CALL_ERRORS, 'already_answered'],
  handle: commanded({ type: 'accept' }),
});

const RECORDING = voiceRoute('Recordings', 'GET', `${RECORDINGS}/{recording_id}`, {
  summary: 'returns the WAV file of a recording, completely or in parts (`Range`)',
  response: { status: 200, mediaType: 'audio/wav' },
  errors: ['unknown_recording', 'range_refused'],
  async handle({ projectId, params, res }, { calls }) {
    const { path, recordingId, name } = calls.recordings.find(projectId, params.recording_id);
    return sendAudio(res, path, name ?? recordingId, 'recording').catch((error: { code?: string; status?: number }) => {
      const isGone = error.code === 'ENOENT' || error.status === 404;
      throw isGone ? new ApiError('unknown_recording', 'the file of the recording was deleted') : error;
    });
  },
});

/** Places the requested call and sends the response. */
export async function placeAndAnswer(
  request: VoiceRequest,
  order: Omit<CallOrder, 'callId' | 'projectId' | 'ringTimeoutMs' | 'receipt'>,
  api: VoiceParts,
  more?: JsonObject,
): Promise<JsonObject> {
  checkEventUrl(api, order.eventUrl);
  const disabledUrls = await api.disabledUrls(request.projectId);
  const answer = (record: CallRecord) =>
    actionBody(record, 'initiated', { ...more, msg: disabledEventUrlNote(disabledUrls, record) });
  const receipt = (record: CallRecord) => request.keep(answer(record));
  return answer(await placeCall({ ...order, ...newCall(request, api), receipt }, api.calls));
}

const ACTIONS = { play: PLAY, connect: CONNECT, hint: 'send {"play": {…}} or {"connect": {…}}' };

export const CALL_ROUTES: readonly VoiceRoute[] = [
  voiceRoute('Calls', 'POST', CALLS, {
    isIdempotent: true,
    summary: 'dials out',
    body: 'dial-out',
    response: 'call',
    errors: [...DIAL_ERRORS, ...PROMPT_ERRORS, ...ACTION_ERRORS, 'do_not_call'],
    async handle(request, api) {
      const { order, checksDoNotCall } = readDialOut(request.body);
      if (checksDoNotCall && (await api.broadcasts.doNotCall.has(request.projectId, order.to))) {
        throw new ApiError('do_not_call', `${order.to} is on the do-not-call list`);
      }
      return placeAndAnswer(request, order, api);
    },
  }),
  LIST_CALLS,
  voiceRoute('Calls', 'GET', CALL, {
    summary: 'returns `state` and `direction` of a call and, while it is live, `flow` and `step`',
    response: 'analysis',
    errors: ['unknown_call'],
    handle: async ({ projectId, params }, { calls }) =>
      analysisBody(await analyzeCall(projectId, params.voice_id, calls)),
  }),
  PLAY,
  voiceRoute('Calls', 'DELETE', `${CALL}/play`, {
    summary: 'ends the prompt that is playing or queued',
    response: 'play-end',
    errors: [...LIVE_CALL_ERRORS, 'not_playing'],
    async handle({ projectId, params }, { calls }) {
      const { record, id } = await commandCall({ projectId, callId: params.voice_id }, { type: 'stop_play' }, calls);
      return actionBody(record, 'success', { play_id: id });
    },
  }),
  CONNECT,
  voiceRoute('Calls', 'PUT', `${CALL}/transfer`, {
    summary: 'connects the caller of a bridged call to another party, once that party answers',
    body: 'transfer',
    response: 'transfer',
    errors: [...DIAL_FROM_CALL_ERRORS, 'not_bridged', 'transferring'],
    async handle({ projectId, params, body }, { calls }) {
      const order = { ...readTransfer(body), mode: 'attended' } as const;
      return connectedBody(await transferCall(projectId, params.voice_id, order, calls), 'channel_id', 'initiated');
    },
  }),
  voiceRoute('Calls', 'PUT', `${CALL}/forward`, {
    summary: 'connects the caller of a bridged call to another party, and releases the current party at once',
    body: 'forward',
    response: 'transfer',
    errors: [...DIAL_FROM_CALL_ERRORS, 'not_bridged', 'transferring'],
    async handle({ projectId, params, body }, { calls }) {
      const order = { ...readForward(body), mode: 'blind' } as const;
      return connectedBody(await transferCall(projectId, params.voice_id, order, calls), 'channel_id', 'success');
    },
  }),
  HOLD,
  voiceRoute('Calls', 'PUT', `${CALL}/recording`, {
    summary: 'starts the recording of a bridged call; pauses or stops it in any state of the call',
    optionalBody: 'recording',
    response: 'recording',
    errors: [
      ...LIVE_CALL_ERRORS,
      'not_bridged',
      'ringing',
      'already_recording',
      'not_recording',
      'recording_name_taken',
      'recording_failed',
    ],
    async handle({ projectId, params, body }, { calls }) {
      const command = { type: 'recording', ...readRecording(body) } as const;
      const { record, id } = await commandCall({ projectId, callId: params.voice_id }, command, calls);
      return actionBody(record, 'success', { recording_id: id, msg: '' });
    },
  }),
  voiceRoute('Calls', 'PUT', `${CALL}/stream`, {
    summary: 'streams the audio of a bridged call to a WebSocket',
    body: 'stream',
    status: 201,
    response: 'stream',
    errors: [...LIVE_CALL_ERRORS, 'not_bridged', 'ringing', 'already_streaming', 'target_refused', 'no_service'],
    async handle({ projectId, params, body }, { calls }) {
      const { record, id } = await streamCall({ projectId, callId: params.voice_id }, readStream(body), calls);
      return actionBody(record, 'initiated', { stream_id: id });
    },
  }),
  voiceRoute('Calls', 'DELETE', `${CALL}/stream`, {
    summary: 'ends the stream, in any state of the call',
    status: 201,
    response: 'call',
    errors: [...LIVE_CALL_ERRORS, 'not_streaming'],
    handle: commanded({ type: 'stream', action: 'stop' }),
  }),
  ACCEPT,
  voiceRoute('Calls', 'POST', `${CALL}/event`, {
    summary: 'sends an event to the flow of the call',
    body: 'event',
    response: 'call',
    errors: LIVE_CALL_ERRORS,
    async handle({ projectId, params, body }, { calls }) {
      const event = readEvent(body);
      const { record } = await commandCall({ projectId, callId: params.voice_id }, { type: 'event', ...event }, calls);
      return actionBody(record, 'success', { event: event.name });
    },
  }),
  voiceRoute('Calls', 'DELETE', CALL, {
    summary: 'hangs up',
    optionalBody: 'hangup',
    response: 'call',
    errors: ['unknown_call', 'ended'],
    async handle({ projectId, params, body }, { calls }) {
      const command = { ...HANG_UP, ...readHangup(body) };
      const { record } = await commandCall({ projectId, callId: params.voice_id }, command, calls);
      return actionBody(record, 'success');
    },
  }),
  RECORDING,
  aliasOf(PLAY, 'POST'),
  aliasOf(CONNECT, 'POST'),
  aliasOf(HOLD, 'PUT'),
  aliasOf(ACCEPT, 'PUT'),
  aliasOf(PLAY, 'POST', CALL, async ({ body }) => ({ route: routeOfAction(body, ACTIONS) })),
  aliasOf(RECORDING, 'GET', `${RECORDINGS}/{service_id}/{recording_id}`),
];
