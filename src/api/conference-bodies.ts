/** Bodies of the conference and room routes, as the orders that use cases take. */
import { defined, type Json, type JsonObject } from '../core/json.ts';
import { badRequest, bodyReader } from './body-reader.ts';
import { eventsOf } from './call-bodies.ts';
import type { ConferenceJoinBody } from './request-bodies.ts';

const conference = bodyReader('conference');
const conferenceJoin = bodyReader('conference-join');
const participant = bodyReader('participant');
const roomJoin = bodyReader('room-join');

type MemberBody = Omit<ConferenceJoinBody, 'from' | 'transfer_to' | 'event_url' | 'owner_ref'>;

/** What the verb `conference` is given. */
export const memberArguments = (body: MemberBody): JsonObject => {
  const { moderator, muted, wait_for_moderator, end_on_exit, max_members, leave_key } = body;
  return defined({ moderator, muted, wait_for_moderator, end_on_exit, max_members, leave_key });
};

export function readConference(body: Json | undefined): {
  call: OutboundMember & { name?: string };
  member: JsonObject;
} {
  const checked = conference(body);
  const { name, to } = checked;
  return { call: defined({ ...outboundMember(checked, { to }), name }), member: memberArguments(checked) };
}

export function readConferenceOfCall(body: Json | undefined): JsonObject & { name?: string } {
  const checked = conference(body);
  return defined<JsonObject & { name?: string }>({ ...memberArguments(checked), name: checked.name });
}

export function readConferenceJoin(body: Json | undefined): { call: OutboundMember; member: JsonObject } {
  const checked = conferenceJoin(body);
  const { transfer_to } = checked;
  return { call: outboundMember(checked, { transfer_to }), member: memberArguments(checked) };
}

export const readConferenceJoinOfCall = (body: Json | undefined): JsonObject => memberArguments(conferenceJoin(body));

export function readParticipant(body: Json | undefined): { muted?: boolean; hold?: boolean } {
  const { muted, hold } = participant(body);
  if (muted === undefined && hold === undefined) throw badRequest('muted or hold is required');
  return defined({ muted, hold });
}

export function readRoomJoin(body: Json | undefined): { call: OutboundMember; displayName?: string } {
  const checked = roomJoin(body);
  const { to, display_name: displayName } = checked;
  return defined({ call: outboundMember(checked, { to }), displayName });
}

export const readRoomJoinOfCall = (body: Json | undefined): { displayName?: string } =>
  defined({ displayName: roomJoin(body).display_name });

export interface OutboundMember {
  from: string;
  to: string;
  eventUrl?: string;
  ownerRef?: string;
}

/** `destination` has one key, by which it is missed. */
function outboundMember(
  { from, ...body }: Pick<ConferenceJoinBody, 'from' | 'event_url' | 'owner_ref'>,
  destination: Readonly<Record<string, string | undefined>>,
): OutboundMember {
  const [[key, to]] = Object.entries(destination) as [[string, string | undefined]];
  if (from === undefined) throw badRequest('the key from is missing');
  if (to === undefined) throw badRequest(`the key ${key} is missing`);
  return { from, to, ...eventsOf(body) };
}
