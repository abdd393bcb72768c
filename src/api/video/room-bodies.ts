/** Bodies of the room routes: what they ask for, and a room as the API shows it. */
import { defined, isObject, type Json, type JsonObject } from '../../core/json.ts';
import { type Participant, permissionsOf } from '../../rooms/participant.ts';
import type { VideoRoom } from '../../rooms/room.ts';
import type { TokenHolder } from '../../rooms/room-tokens.ts';
import type { NewRoom, RoomChange } from '../../rooms/rooms.ts';
import { type Issue, pointerKeys } from '../../schema/document.ts';
import { ApiError, type ApiErrorCode } from '../api-error.ts';
import { bodyReader, givenReader } from '../body-reader.ts';
import { iso } from '../response-bodies.ts';

/** The error of each key that has one of its own. */
const CODES: Readonly<Record<string, ApiErrorCode>> = {
  name: 'room_name_missing',
  owner_ref: 'room_owner_missing',
  scheduled: 'room_scheduled_invalid',
  scheduled_time: 'room_time_malformed',
  participants: 'room_participants_invalid',
  auto_recording: 'room_recording_invalid',
  duration: 'room_duration_invalid',
  max_active_talkers: 'room_talkers_invalid',
  wait_for_moderator: 'room_wait_invalid',
  quality: 'room_quality_invalid',
  adhoc: 'room_adhoc_invalid',
  mode: 'room_mode_invalid',
  moderators: 'room_moderators_invalid',
  knock: 'room_knock_invalid',
};

function roomCode({ code, pointer }: Issue): ApiErrorCode {
  const keys = pointerKeys(pointer);
  const isSetting = keys[0] === 'settings' && keys.length === 2;
  if (isSetting && code === 'unknown-key') return 'room_setting_unknown';
  return (isSetting || keys.length === 1 ? CODES[keys.at(-1)!] : undefined) ?? 'bad_request';
}

const room = bodyReader('room', roomCode);
const change = givenReader('room', roomCode);

export function readRoom(body: Json | undefined): NewRoom {
  const { name, owner_ref: ownerRef, settings, sip, data } = room(withSipObject(body));
  if (name === undefined) throw new ApiError('room_name_missing', 'name is required: the title of the room');
  if (ownerRef === undefined) throw new ApiError('room_owner_missing', 'owner_ref is required');
  const { active_talker: _, ...given } = settings;
  return defined<NewRoom>({ name, ownerRef, settings: given, sip: sip.enabled, data });
}

export function readRoomChange(body: Json | undefined): RoomChange {
  const { owner_ref: ownerRef, sip, settings, ...given } = change(withSipObject(body)) as ChangeBody;
  const { active_talker: _, ...changed } = settings ?? {};
  return defined<RoomChange>({ name: given.name, ownerRef, settings: changed, sip: sip?.enabled, data: given.data });
}

/** As it was written, without defaults. */
interface ChangeBody {
  name?: string;
  owner_ref?: string;
  settings?: JsonObject;
  sip?: { enabled?: boolean };
  data?: JsonObject;
}

/** Clients write `false` for a room without telephones. */
function withSipObject(body: Json | undefined): Json | undefined {
  if (!isObject(body) || body['sip'] === undefined || isObject(body['sip'])) return body;
  return { ...body, sip: { enabled: body['sip'] } };
}

const TOKEN_CODES: Readonly<Record<string, ApiErrorCode>> = {
  name: 'user_name_missing',
  user_ref: 'user_ref_missing',
  role: 'role_invalid',
};
const token = bodyReader('room-token', ({ pointer }) => TOKEN_CODES[pointer.slice(1)] ?? 'bad_request');

export function readTokenHolder(roomId: string, body: Json | undefined): TokenHolder {
  const { name, role, user_ref: userRef, data } = token(body);
  if (name === undefined) throw new ApiError('user_name_missing', 'name is required: who joins');
  if (userRef === undefined) throw new ApiError('user_ref_missing', 'user_ref is required');
  if (role === undefined) throw new ApiError('role_missing', 'role is required');
  return defined<TokenHolder>({ roomId, name, role, userRef, data });
}

export const roomBody = ({ roomId, name, ownerRef, settings, sip, data, createdMs }: VideoRoom): JsonObject =>
  defined<JsonObject>({
    room_id: roomId,
    name,
    owner_ref: ownerRef,
    settings: { ...settings },
    sip: defined<JsonObject>({
      enabled: sip !== undefined,
      pin: sip && Number(sip.pin),
      meeting_id: sip?.meetingId === undefined ? undefined : Number(sip.meetingId),
    }),
    data,
    created: iso(createdMs),
  });

export const userBody = (user: Participant, { settings }: VideoRoom): JsonObject => ({
  name: user.name,
  user_ref: user.userRef,
  role: user.role,
  permissions: { ...permissionsOf(user, settings.mode) },
});
