/** Converts bodies of the conference and room routes to the orders of use cases. */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import type { AfterMeeting, RoomOrder } from '../calls/control/call-action.ts';
import type { MemberOrder } from '../calls/control/control-conference.ts';
import type { CallOrder } from '../calls/control/place-call.ts';
import { badRequest, bodyReader } from './body-reader.ts';
import { eventsOf } from './call-bodies.ts';
import type { ConferenceJoinBody, RoomJoinBody } from './request-bodies/conferences.ts';

const conference = bodyReader('conference');
const conferenceJoin = bodyReader('conference-join');
const participant = bodyReader('participant');
const roomJoin = bodyReader('room-join');

type MemberBody = Omit<ConferenceJoinBody, 'from' | 'transfer_to' | 'event_url' | 'owner_ref' | 'after'>;

/** Arguments of the verb `conference`. */
export const memberArguments = (body: MemberBody): JsonObject => {
  const { moderator, muted, wait_for_moderator, end_on_exit, max_members, leave_key } = body;
  return defined({ moderator, muted, wait_for_moderator, end_on_exit, max_members, leave_key });
};

/** A member that is called. */
export interface DialledMember {
  call: OutboundMember & { name?: string };
  member: MemberOrder;
}

const memberOf = (body: MemberBody & { after?: AfterMeeting }): MemberOrder =>
  defined({ options: memberArguments(body), after: body.after });

export function readConference(body: Json | undefined): DialledMember {
  const checked = conference(body);
  const call = defined<DialledMember['call']>({ ...outboundMember(checked, 'to'), name: checked.name });
  return { call, member: memberOf(checked) };
}

export function readConferenceOfCall(body: Json | undefined): MemberOrder & { name?: string } {
  const checked = conference(body);
  return defined<MemberOrder & { name?: string }>({ ...memberOf(checked), name: checked.name });
}

export function readConferenceJoin(body: Json | undefined): DialledMember {
  const checked = conferenceJoin(body);
  return { call: outboundMember(checked, 'transfer_to'), member: memberOf(checked) };
}

export const readConferenceJoinOfCall = (body: Json | undefined): MemberOrder => memberOf(conferenceJoin(body));

export function readParticipant(body: Json | undefined): { muted?: boolean; hold?: boolean } {
  const { muted, hold } = participant(body);
  if (muted === undefined && hold === undefined) throw badRequest('muted or hold is required');
  return defined({ muted, hold });
}

/** Same limit as `display_name`. */
const MAX_DISPLAY_NAME = 100;

export type RoomMember = Omit<RoomOrder, 'roomId'>;

export function readRoomJoin(body: Json | undefined): { call: OutboundMember; member: RoomMember } {
  const checked = roomJoin(body);
  return { call: outboundMember(checked, 'to'), member: roomMemberOf(checked) };
}

export const readRoomJoinOfCall = (body: Json | undefined): RoomMember => roomMemberOf(roomJoin(body));

const roomMemberOf = ({ display_name, name, after }: RoomJoinBody): RoomMember =>
  defined({ displayName: display_name ?? name?.trim().slice(0, MAX_DISPLAY_NAME), after });

type OutboundMember = Pick<CallOrder, 'from' | 'to' | 'eventUrl' | 'ownerRef'>;

function outboundMember<Key extends 'to' | 'transfer_to'>(
  body: Pick<ConferenceJoinBody, 'from' | 'event_url' | 'owner_ref'> & { [key in Key]?: string },
  key: Key,
): OutboundMember {
  const { from, [key]: to } = body;
  if (from === undefined) throw badRequest('the key from is missing');
  if (to === undefined) throw badRequest(`the key ${key} is missing`);
  return { from, to, ...eventsOf(body) };
}
