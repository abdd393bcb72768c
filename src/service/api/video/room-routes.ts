/** Room routes, `/video/v2/rooms…`. */
import { defined } from '../../../base/core/json.ts';
import { ApiError, type ApiErrorCode } from '../api-error.ts';
import { PAGE, type PageQuery, readQuery } from '../query-parameters.ts';
import { ignoredBody, readNewRoom, readRoomChange, readTokenHolder, roomBody, userBody } from './room-bodies.ts';
import { afterOf, type VideoRoute, videoRoute } from './video-route.ts';

const ROOMS = '/rooms';
const ROOM = `${ROOMS}/{room_id}`;

/** Errors for creating or changing a room. */
const SETTING_ERRORS: readonly ApiErrorCode[] = [
  'room_name_missing',
  'room_owner_missing',
  'room_scheduled_invalid',
  'room_time_missing',
  'room_time_malformed',
  'room_time_past',
  'room_participants_invalid',
  'room_recording_invalid',
  'room_duration_invalid',
  'room_talkers_invalid',
  'room_wait_invalid',
  'room_quality_invalid',
  'room_adhoc_invalid',
  'room_setting_misplaced',
  'room_mode_invalid',
  'room_quality_refused',
  'room_moderators_invalid',
  'room_knock_invalid',
];

const CHANGE = videoRoute('PATCH', ROOM, {
  summary: 'changes a room for its next sessions; keys that are not in the body keep their values',
  body: 'room',
  response: 'room-change',
  errors: ['room_unknown', 'room_active', 'room_type_fixed', 'configured', ...SETTING_ERRORS],
  handle({ projectId, params, body }, { rooms }) {
    const { order, given } = readRoomChange(body);
    return ignoredBody(given, rooms.change(projectId, params.room_id, order));
  },
});

/** Route for clients that omit the room id: answers with `room_missing`. */
const withoutRoom = (method: 'GET' | 'POST', path: string): VideoRoute => ({
  ...videoRoute(method, `${ROOMS}//${path}`, {
    summary: 'nothing',
    response: 'video-done',
    errors: ['room_missing'],
    handle: refuse,
  }),
  isAlias: true,
});

function refuse(): never {
  throw new ApiError('room_missing', 'room_id is missing in the path');
}

export const ROOM_ROUTES: readonly VideoRoute[] = [
  videoRoute('POST', ROOMS, {
    summary: 'creates a room without a session',
    body: 'room',
    response: 'room',
    errors: SETTING_ERRORS,
    handle({ projectId, body }, { rooms }) {
      const { order, given } = readNewRoom(body);
      const room = rooms.create(projectId, order);
      return { room: roomBody(room), ...ignoredBody(given, room) };
    },
  }),
  videoRoute('GET', ROOMS, {
    summary: 'lists the rooms of the project',
    query: PAGE,
    response: 'room-list',
    merged: { list: 'rooms', by: 'created', order: 'rising', id: 'room_id' },
    errors: ['bad_request', 'cursor_invalid'],
    handle({ projectId, url }, { rooms }) {
      const { limit, cursor } = readQuery<PageQuery>(url, PAGE);
      const { rooms: listed, next } = rooms.list(defined({ projectId, limit, after: afterOf(cursor) }));
      return defined({ rooms: listed.map(roomBody), next: next === undefined ? undefined : String(next) });
    },
  }),
  videoRoute('GET', ROOM, {
    summary: 'returns a room',
    response: 'room',
    errors: ['room_unknown'],
    handle: ({ projectId, params }, { rooms }) => ({ room: roomBody(rooms.find(projectId, params.room_id)) }),
  }),
  CHANGE,
  { ...CHANGE, method: 'PUT', isAlias: true },
  videoRoute('DELETE', ROOM, {
    summary: 'removes a room without an active session',
    response: 'video-done',
    errors: ['room_unknown', 'room_active', 'configured'],
    handle({ projectId, params }, { rooms }) {
      rooms.remove(projectId, params.room_id);
      return {};
    },
  }),
  videoRoute('POST', `${ROOM}/tokens`, {
    summary: 'creates a token that admits one participant once, within 15 minutes',
    body: 'room-token',
    response: 'room-token',
    errors: [
      'room_unknown',
      'room_not_open',
      'room_over',
      'room_full',
      'user_name_missing',
      'user_ref_missing',
      'role_missing',
      'role_invalid',
      'audience_unavailable',
    ],
    handle: ({ projectId, params, body }, { sessions }) => ({
      token: sessions.issueToken(projectId, readTokenHolder(params.room_id, body)),
    }),
  }),
  videoRoute('GET', `${ROOM}/users`, {
    summary: 'lists the participants of a room',
    response: 'room-users',
    errors: ['room_unknown'],
    handle({ projectId, params }, { rooms, sessions }) {
      const room = rooms.find(projectId, params.room_id);
      const users = sessions.usersIn(projectId, params.room_id);
      return { total: users?.length ?? 0, users: users?.map((user) => userBody(user, room)) ?? null };
    },
  }),
  withoutRoom('POST', 'tokens'),
  withoutRoom('GET', 'users'),
];
