/**
 * Routes of conferences and rooms. The id after `/conference` is that of a call for POST and of a conference for PUT.
 */
import { defined, type JsonObject } from '../../base/core/json.ts';
import {
  type ConferenceCall,
  type ConferenceCallOrder,
  changeMember,
  createConferenceWithCall,
  dialIntoConference,
  endConference,
  findConference,
  moveIntoConference,
} from '../calls/control/control-conference.ts';
import { joinRoom } from '../calls/control/join-room.ts';
import { placeAndAnswer } from './call-routes.ts';
import {
  type DialledMember,
  readConference,
  readConferenceJoin,
  readConferenceJoinOfCall,
  readConferenceOfCall,
  readParticipant,
  readRoomJoin,
  readRoomJoinOfCall,
} from './conference-bodies.ts';
import { LIMIT, readQuery } from './query-parameters.ts';
import { actionBody, conferenceBody, conferenceCallBody, listedConferenceBody, queueBody } from './response-bodies.ts';
import { DIAL_ERRORS, LIVE_CALL_ERRORS, OCCUPIED_ERRORS } from './route-errors.ts';
import {
  checkEventUrl,
  disabledEventUrlNote,
  newCall,
  type VoiceParts,
  type VoiceRequest,
  type VoiceRoute,
  voiceRoute,
} from './voice-route.ts';

const CONFERENCES = '/voice/v1/conference';
const CONFERENCE = `${CONFERENCES}/{conference_id}`;
const ROOM = '/voice/v1/room/{room_id}';

const limitIn = (url: string): number => readQuery<{ limit: number }>(url, [LIMIT]).limit;

/** Without an id, creates a conference. */
async function dialMember(
  request: VoiceRequest,
  { call, member }: DialledMember,
  api: VoiceParts,
  conferenceId?: string,
): Promise<JsonObject> {
  checkEventUrl(api, call.eventUrl);
  const disabledUrls = await api.disabledUrls(request.projectId);
  const answer = (made: ConferenceCall) => ({
    ...conferenceCallBody(made),
    msg: disabledEventUrlNote(disabledUrls, made.record),
  });
  const receipt = (made: ConferenceCall) => request.keep(answer(made));
  const order = defined<ConferenceCallOrder>({ ...call, ...newCall(request, api), conferenceId, receipt });
  return answer(await dialIntoConference(order, member, api.calls));
}

export const CONFERENCE_ROUTES: readonly VoiceRoute[] = [
  voiceRoute('Conferences', 'POST', CONFERENCES, {
    isIdempotent: true,
    summary: 'creates a conference, and dials its first member',
    body: 'conference',
    response: 'conference-call',
    errors: [...DIAL_ERRORS, 'target_refused'],
    handle: async (request, api) => dialMember(request, readConference(request.body), api),
  }),
  voiceRoute('Conferences', 'GET', CONFERENCES, {
    summary: 'lists the active conferences with their members, newest first',
    query: [LIMIT],
    response: 'conference-list',
    merged: { list: 'conferences', by: 'created', order: 'falling', id: 'conference_id', isWhole: true },
    errors: ['bad_request'],
    handle: ({ projectId, url }, { calls }) => ({
      conferences: calls.conferences.list(projectId, limitIn(url)).map(listedConferenceBody),
    }),
  }),
  voiceRoute('Conferences', 'GET', '/voice/v1/queue', {
    summary: 'lists the queues with waiting or connected callers, or callbacks',
    query: [LIMIT],
    response: 'queue-list',
    merged: { list: 'queues', by: 'name', order: 'rising', isWhole: true },
    errors: ['bad_request'],
    handle: ({ projectId, url }, { calls, callbacks }) => ({
      queues: calls.queues.list(projectId, limitIn(url)).map((queue) => queueBody(queue, callbacks)),
    }),
  }),
  voiceRoute('Conferences', 'DELETE', '/voice/v1/queue/callback/{callback_id}', {
    summary: 'cancels a callback of a queue; a ringing call to the number is hung up',
    response: 'deleted',
    errors: ['unknown_callback'],
    async handle({ projectId, params }, { callbacks }) {
      await callbacks.delete(projectId, params.callback_id);
      return { status: 'success', callback_id: params.callback_id };
    },
  }),
  voiceRoute('Conferences', 'GET', CONFERENCE, {
    summary: 'returns a conference and its members, until one hour after its end',
    response: 'conference',
    errors: ['unknown_conference'],
    handle: ({ projectId, params }, { calls }) =>
      conferenceBody(findConference(projectId, params.conference_id, calls)),
  }),
  voiceRoute('Conferences', 'POST', `${CONFERENCES}/{voice_id}`, {
    summary:
      'creates a conference with a call, which is accepted if it waits for acceptance; like `connect`, it ends prompts',
    optionalBody: 'conference',
    response: 'conference-call',
    errors: [...LIVE_CALL_ERRORS, ...OCCUPIED_ERRORS],
    async handle({ projectId, params, body }, { calls }) {
      return conferenceCallBody(
        await createConferenceWithCall({ projectId, callId: params.voice_id }, readConferenceOfCall(body), calls),
      );
    },
  }),
  voiceRoute('Conferences', 'PUT', CONFERENCE, {
    isIdempotent: true,
    summary: 'dials another member into a conference',
    body: 'conference-join',
    response: 'conference-call',
    errors: [...DIAL_ERRORS, 'target_refused', 'unknown_conference', 'conference_over'],
    handle: async (request, api) =>
      dialMember(request, readConferenceJoin(request.body), api, request.params.conference_id),
  }),
  voiceRoute('Conferences', 'PUT', `${CONFERENCES}/{voice_id}/{conference_id}`, {
    summary: 'moves a call into a conference; it is accepted if it waits for acceptance',
    optionalBody: 'conference-join',
    response: 'conference-call',
    errors: [...LIVE_CALL_ERRORS, ...OCCUPIED_ERRORS, 'unknown_conference', 'conference_over'],
    async handle({ projectId, params, body }, { calls }) {
      const member = readConferenceJoinOfCall(body);
      const { voice_id: callId, conference_id: conferenceId } = params;
      return conferenceCallBody(await moveIntoConference({ projectId, callId }, conferenceId, member, calls));
    },
  }),
  voiceRoute('Conferences', 'PUT', `${CONFERENCE}/participant/{voice_id}`, {
    summary: 'mutes a member, or puts it on hold',
    body: 'participant',
    response: 'conference',
    errors: ['unknown_conference', 'unknown_call', 'conference_over'],
    handle({ projectId, params, body }, { calls }) {
      const { voice_id: callId, conference_id: conferenceId } = params;
      return conferenceBody(changeMember({ projectId, callId }, conferenceId, readParticipant(body), calls));
    },
  }),
  voiceRoute('Conferences', 'DELETE', CONFERENCE, {
    summary: 'ends a conference; calls that were made for it are hung up',
    response: 'conference',
    errors: ['unknown_conference', 'conference_over'],
    async handle({ projectId, params, holdEvents }, { calls }) {
      const conference = findConference(projectId, params.conference_id, calls);
      for (const { callId } of conference.participants) holdEvents(callId);
      await endConference(projectId, params.conference_id, calls);
      return conferenceBody(conference);
    },
  }),
  voiceRoute('Rooms', 'POST', `${ROOM}/join`, {
    isIdempotent: true,
    summary: 'dials out, and joins a room on connect',
    body: 'room-join',
    response: 'call',
    errors: [...DIAL_ERRORS, 'target_refused', 'unknown_room'],
    async handle(request, api) {
      const { room_id: roomId } = request.params;
      const { call, member } = readRoomJoin(request.body);
      const action = { type: 'room', room: { roomId, ...member } } as const;
      return placeAndAnswer(request, { ...call, action }, api, { room_id: roomId });
    },
  }),
  voiceRoute('Rooms', 'PUT', `${ROOM}/call/{voice_id}/join`, {
    summary: 'moves a call into a room; it is accepted if it waits for acceptance',
    optionalBody: 'room-join',
    response: 'call',
    errors: [...LIVE_CALL_ERRORS, ...OCCUPIED_ERRORS, 'unknown_room'],
    async handle({ projectId, params, body }, { calls }) {
      const order = { roomId: params.room_id, ...readRoomJoinOfCall(body) };
      const record = await joinRoom({ projectId, callId: params.voice_id }, order, calls);
      return actionBody(record, 'initiated', { room_id: order.roomId });
    },
  }),
];
