/** Bodies of the conference and room routes, in our own words. */
import type { Json, JsonObject } from '../core/json.ts';
import { badRequest, bodyReader, given, textOf } from './body-reader.ts';
import { eventsOf } from './call-bodies.ts';

const MODERATOR_ALIASES = { wait_moderator: 'wait_for_moderator' };

const conference = bodyReader('conference', MODERATOR_ALIASES);
const conferenceJoin = bodyReader('conference-join', { to: 'transfer_to', ...MODERATOR_ALIASES });
const participant = bodyReader('participant');
const roomJoin = bodyReader('room-join');

const MEMBER_KEYS = ['moderator', 'muted', 'wait_for_moderator', 'end_on_exit', 'max_members', 'leave_key'] as const;

/** What the verb `conference` is given. */
export const memberArguments = (checked: JsonObject): JsonObject => given(checked, ...MEMBER_KEYS) as JsonObject;

export interface OutboundMember {
  from: string;
  to: string;
  eventUrl?: string;
  ownerRef?: string;
}

export function readConference(body: Json | undefined): {
  call: OutboundMember & { name?: string };
  member: JsonObject;
} {
  const checked = conference(body);
  return { call: { ...dialledBy(checked, 'to'), ...nameOf(checked) }, member: memberArguments(checked) };
}

export function readConferenceOfCall(body: Json | undefined): JsonObject & { name?: string } {
  const checked = conference(body);
  return { ...memberArguments(checked), ...nameOf(checked) };
}

export function readConferenceJoin(body: Json | undefined): { call: OutboundMember; member: JsonObject } {
  const checked = conferenceJoin(body);
  return { call: dialledBy(checked, 'transfer_to'), member: memberArguments(checked) };
}

export const readConferenceJoinOfCall = (body: Json | undefined): JsonObject => memberArguments(conferenceJoin(body));

export function readParticipant(body: Json | undefined): { muted?: boolean; hold?: boolean } {
  const change = given(participant(body), 'muted', 'hold') as { muted?: boolean; hold?: boolean };
  if (Object.keys(change).length === 0) throw badRequest('muted or hold is required');
  return change;
}

export function readRoomJoin(body: Json | undefined): { call: OutboundMember; displayName?: string } {
  const checked = roomJoin(body);
  return { call: dialledBy(checked, 'to'), ...displayNameOf(checked) };
}

export const readRoomJoinOfCall = (body: Json | undefined): { displayName?: string } => displayNameOf(roomJoin(body));

function dialledBy(checked: JsonObject, to: 'to' | 'transfer_to'): OutboundMember {
  for (const key of ['from', to]) if (checked[key] === undefined) throw badRequest(`the key ${key} is missing`);
  return { from: textOf(checked['from']), to: textOf(checked[to]), ...eventsOf(checked) };
}

const nameOf = ({ name }: JsonObject): { name?: string } => (name === undefined ? {} : { name: textOf(name) });

const displayNameOf = ({ display_name: name }: JsonObject): { displayName?: string } =>
  name === undefined ? {} : { displayName: textOf(name) };
