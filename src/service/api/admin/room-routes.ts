/** Admin routes for video rooms of all projects: participants, journals and commands. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { ModeratorCommand } from '../../../media/rooms/client-messages.ts';
import type { Participant } from '../../../media/rooms/participant.ts';
import { typeOf, type VideoRoom } from '../../../media/rooms/room.ts';
import type { RoomJournalEntry } from '../../../media/rooms/room-journal.ts';
import type { RoomSession } from '../../../media/rooms/session.ts';
import { moderate } from '../../../media/rooms/session-commands.ts';
import { ApiError } from '../api-error.ts';
import { bodyReader } from '../body-reader.ts';
import { CONF_NUM, PAGE, type PageQuery, readQuery } from '../query-parameters.ts';
import { iso } from '../response-bodies.ts';
import type { PathParameters } from '../route.ts';
import { roomBody } from '../video/room-bodies.ts';
import { afterOf } from '../video/video-route.ts';
import { type AdminParts, type AdminRoute, adminRoute, DONE, doneBody, one } from './admin-route.ts';

const ROOM = '/rooms/{app_id}/{room_id}';
const USER = `${ROOM}/users/{call_num}`;
const PAGE_ERRORS = ['bad_request', 'cursor_invalid'] as const;

const LOBBY = `${ROOM}/lobby/{call_num}`;
const PERSON_ERRORS = ['room_unknown', 'room_inactive', 'room_user_unknown'] as const;

const readMute = bodyReader('admin/room-mute');

export const ADMIN_ROOM_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/rooms', {
    summary: 'lists the video rooms of all projects with their active sessions',
    query: PAGE,
    response: one('video-room-list'),
    merged: { list: 'rooms', by: 'created', order: 'rising', id: 'room_id' },
    errors: PAGE_ERRORS,
    handle({ url }, parts) {
      const { limit, cursor } = readQuery<PageQuery>(url, PAGE);
      const { rooms, next } = parts.rooms.list(defined({ limit, after: afterOf(cursor) }));
      return defined({
        rooms: rooms.map((room) => listedBody(room, parts)),
        next: next === undefined ? undefined : String(next),
        timestamp: parts.now(),
      });
    },
  }),
  adminRoute('GET', ROOM, {
    summary: 'returns a video room with its session, participants and lobby',
    response: one('video-room'),
    errors: ['room_unknown'],
    handle({ params }, parts) {
      const { rooms, sessions, now } = parts;
      const room = rooms.find(params.app_id, params.room_id);
      const session = sessions.find(params.app_id, params.room_id);
      const users = session ? [...session.inside, ...session.lobby].map(userBody) : [];
      return {
        app_id: room.projectId,
        ...roomBody(room),
        session: sessionBody(session, parts),
        users,
        timestamp: now(),
      };
    },
  }),
  adminRoute('DELETE', `${ROOM}/session`, {
    summary: 'ends the session of a video room',
    response: DONE,
    errors: ['room_unknown', 'room_inactive'],
    handle: ({ params }, parts) => command(params, { type: 'end' }, parts),
  }),
  adminRoute('PUT', USER, {
    summary: 'mutes a participant of a video room, who cannot unmute themselves, or unmutes them',
    body: 'room-mute',
    response: DONE,
    errors: PERSON_ERRORS,
    handle({ params, body }, parts) {
      const { muted, source } = readMute(body);
      const mute = { type: 'mute_user', participant: params.call_num, source, muted, hard: true } as const;
      return command(params, mute, parts);
    },
  }),
  adminRoute('DELETE', USER, {
    summary: 'removes a participant from a video room',
    response: DONE,
    errors: PERSON_ERRORS,
    handle: ({ params }, parts) => command(params, { type: 'drop', participant: params.call_num }, parts),
  }),
  adminRoute('PUT', LOBBY, {
    summary: 'admits a participant from the lobby of a video room',
    response: DONE,
    errors: PERSON_ERRORS,
    handle: ({ params }, parts) => command(params, { type: 'admit', participant: params.call_num }, parts),
  }),
  adminRoute('DELETE', LOBBY, {
    summary: 'denies a participant in the lobby of a video room',
    response: DONE,
    errors: PERSON_ERRORS,
    handle: ({ params }, parts) => command(params, { type: 'deny', participant: params.call_num }, parts),
  }),
  adminRoute('GET', `${ROOM}/journal`, {
    summary: 'lists the events in the sessions of a video room, newest first; they are kept as long as calls',
    query: [...PAGE, CONF_NUM],
    response: one('video-room-journal'),
    merged: { list: 'entries', by: 'at', order: 'falling' },
    errors: PAGE_ERRORS,
    handle({ params, url }, { roomJournal, now }) {
      const query = readQuery<PageQuery & { conf_num?: string }>(url, [...PAGE, CONF_NUM]);
      const { limit, cursor, conf_num: confNum } = query;
      const of = { projectId: params.app_id, roomId: params.room_id, confNum };
      const { entries, next } = roomJournal.list(defined({ ...of, limit, before: afterOf(cursor) }));
      return defined({
        entries: entries.map(entryBody),
        next: next === undefined ? undefined : String(next),
        timestamp: now(),
      });
    },
  }),
];

function command(
  { app_id: projectId, room_id: roomId }: PathParameters,
  order: ModeratorCommand,
  parts: AdminParts,
): JsonObject {
  parts.rooms.find(projectId, roomId);
  const session = parts.sessions.find(projectId, roomId);
  if (!session) throw new ApiError('room_inactive', 'the room has no active session');
  if (moderate(session, order) !== undefined) {
    throw new ApiError(
      'room_user_unknown',
      `no participant with this call_num is in the ${order.type === 'admit' || order.type === 'deny' ? 'lobby' : 'room'}`,
    );
  }
  return doneBody(parts);
}

const listedBody = (room: VideoRoom, parts: AdminParts): JsonObject => ({
  app_id: room.projectId,
  room_id: room.roomId,
  name: room.name,
  owner_ref: room.ownerRef,
  type: typeOf(room.settings),
  mode: room.settings.mode,
  sip: room.sip !== undefined,
  created: iso(room.createdMs),
  session: sessionBody(parts.sessions.find(room.projectId, room.roomId), parts),
});

const sessionBody = (session: RoomSession | undefined, { roomEngine }: AdminParts): JsonObject | null =>
  session === undefined
    ? null
    : defined<JsonObject>({
        conf_num: session.confNum,
        since: session.wasActive ? iso(session.activeSinceMs) : undefined,
        engine: roomEngine.name,
        media: roomEngine.state.media,
        recording: session.recording.isOn,
        users: session.inside.length,
        waiting: session.lobby.length,
        telephones: session.inside.filter(({ isPhone }) => isPhone).length,
      });

const userBody = (user: Participant): JsonObject => ({
  ...{ call_num: user.id, name: user.name, user_ref: user.userRef, role: user.role, sip: user.isPhone },
  state: user.presence,
  since: iso(user.joinedMs),
  ...{ ip: user.address, agent: user.agent },
  published: [...user.published],
  muted: [...user.muted],
  hard_muted: [...user.hardMuted],
  ...{ talking: user.talking, hand: user.hand, floor: user.hasFloor, poor_link: user.poorLink },
  call_quality: String(user.quality.report['call_quality']),
});

const entryBody = ({ confNum, atMs, type, body }: RoomJournalEntry): JsonObject => ({
  conf_num: confNum,
  at: iso(atMs),
  type,
  ...body,
});
