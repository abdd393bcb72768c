/** Request and response bodies of the room routes. */
import { defined, isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { type Issue, pointerKeys } from '../../../base/schema/document.ts';
import { readSchema } from '../../../base/schema/schema-files.ts';
import { ignoredSettings } from '../../../media/rooms/ignored-settings.ts';
import { type Participant, permissionsOf } from '../../../media/rooms/participant.ts';
import type { VideoRoom } from '../../../media/rooms/room.ts';
import type { TokenHolder } from '../../../media/rooms/room-tokens.ts';
import type { NewRoom, RoomChange } from '../../../media/rooms/rooms.ts';
import { ApiError, type ApiErrorCode } from '../api-error.ts';
import { badRequest, bodyParser, bodyReader } from '../body-reader.ts';
import { iso } from '../response-bodies.ts';

/** Error codes for keys that have their own. */
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

function roomCode({ pointer }: Issue): ApiErrorCode {
  const keys = pointerKeys(pointer);
  const isSetting = keys[0] === 'settings' && keys.length === 2;
  return (isSetting || keys.length === 1 ? CODES[keys.at(-1)!] : undefined) ?? 'bad_request';
}

const parse = bodyParser('room', roomCode);

/** A parsed request, with its settings as sent. */
export interface RoomRequest<Order> {
  order: Order;
  given: JsonObject;
}

export const readRoom = (body: Json | undefined): NewRoom => readNewRoom(body).order;

export function readNewRoom(body: Json | undefined): RoomRequest<NewRoom> {
  const { value, given } = parse(withSipObject(body));
  const { name, owner_ref: ownerRef, settings, sip, data } = value;
  if (name === undefined) throw nameMissing();
  if (ownerRef === undefined) throw ownerMissing();
  const asked = known(settings as unknown as JsonObject) as unknown as NewRoom['settings'];
  checkViewUrl(settings.hls_view_url);
  const order = defined<NewRoom>({ name, ownerRef, settings: asked, sip: sip.enabled, data });
  return { order, given: objectIn(given['settings']) };
}

export function readRoomChange(body: Json | undefined): RoomRequest<RoomChange> {
  const { given } = parse(withSipObject(body));
  // An empty value is an error; an absent value leaves the room unchanged.
  if (isEmpty(body, 'name')) throw nameMissing();
  if (isEmpty(body, 'owner_ref')) throw ownerMissing();
  const { owner_ref: ownerRef, sip, settings = {}, name, data } = given as ChangeBody;
  checkViewUrl(settings['hls_view_url']);
  const order = defined<RoomChange>({ name, ownerRef, settings: known(settings), sip: sip?.enabled, data });
  return { order, given: settings };
}

const nameMissing = (): ApiError => new ApiError('room_name_missing', 'name is required: the title of the room');
const ownerMissing = (): ApiError => new ApiError('room_owner_missing', 'owner_ref is required');

const objectIn = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

function isEmpty(body: Json | undefined, key: string): boolean {
  const value = isObject(body) ? body[key] : undefined;
  return value === null || (typeof value === 'string' && value.trim() === '');
}

/** Known settings. Unknown ones are named in the response. */
const known = (settings: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => SETTINGS.has(name)));

const { properties } = readSchema('api/room') as { properties: { settings: { properties: JsonObject } } };
const SETTINGS = new Set(Object.keys(properties.settings.properties));
// Older clients send it; `max_active_talkers` replaces it.
SETTINGS.delete('active_talker');

/** The schema has already checked the scheme. */
function checkViewUrl(url: Json | undefined): void {
  if (url === undefined || url === 'DEFAULT' || URL.canParse(String(url))) return;
  throw badRequest('settings.hls_view_url: must be a URL that starts with https:// or http://, or DEFAULT');
}

/** Body as written, without defaults. */
interface ChangeBody {
  name?: string;
  owner_ref?: string;
  settings?: JsonObject;
  sip?: { enabled?: boolean };
  data?: JsonObject;
}

/** Some clients send `sip: false` for a room without phones. */
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
  if (name === undefined) throw new ApiError('user_name_missing', 'name is required: the name of the participant');
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

/** Names settings without effect, for the response. */
export function ignoredBody(given: JsonObject, { settings }: VideoRoom): JsonObject {
  const ignored = ignoredSettings(given, settings);
  return ignored.length === 0 ? {} : { ignored };
}

export const userBody = (user: Participant, { settings }: VideoRoom): JsonObject => ({
  name: user.name,
  user_ref: user.userRef,
  role: user.role,
  permissions: { ...permissionsOf(user, settings.mode) },
});
