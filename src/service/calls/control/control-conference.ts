/** REST use cases of conferences: create one with an outbound or inbound call, add calls, change and end it. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { Receipt } from '../../../base/core/receipt.ts';
import type { CallCommand, CallRecord } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import type { CallParts } from '../call-parts.ts';
import type { BroughtCall, Conference, NewConference } from '../conferences/conferences.ts';
import { type AfterMeeting, endOf } from './call-action.ts';
import { type CommandedCall, commandCall, findCall, HANG_UP } from './control-call.ts';
import { type CallOrder, placeCall } from './place-call.ts';

export interface MemberOrder {
  /** Arguments of the verb `conference`. */
  options: JsonObject;
  after?: AfterMeeting;
}

export interface ConferenceCall {
  conference: Conference;
  record: CallRecord;
}

export type ConferenceCallOrder = Omit<CallOrder, 'action' | 'eventUrl' | 'receipt'> & {
  /** Absent: a new conference is created. */
  conferenceId?: string;
  /** Name of the new conference. */
  name?: string;
  eventUrl?: string;
  /** The response to the request, written with the call. */
  receipt?: (met: ConferenceCall) => Receipt | undefined;
};

/** Dials out: the callee becomes the first member of a new conference, or joins an existing one. */
export async function dialIntoConference(
  { conferenceId, name, ...order }: ConferenceCallOrder,
  member: MemberOrder,
  parts: CallParts,
): Promise<ConferenceCall> {
  const { projectId, eventUrl } = order;
  if (conferenceId !== undefined) {
    const conference = await meetingPlace(projectId, conferenceId, parts);
    return { conference, record: await dialMember(conference, order, member, parts) };
  }
  const { max_members: limit } = member.options;
  const maxMembers = typeof limit === 'number' ? limit : undefined;
  const join = (conference: Conference) => dialMember(conference, order, member, parts);
  return openConference(defined({ projectId, name, eventUrl, maxMembers }), join, parts);
}

/**
 * Creates a conference with an existing call. A call that waits for an answer is answered first; an active one moves
 * there from its current step.
 */
export async function createConferenceWithCall(
  { projectId, callId }: CommandedCall,
  { name, ...member }: MemberOrder & { name?: string },
  parts: CallParts,
): Promise<ConferenceCall> {
  const { eventUrl } = await findCall(projectId, callId, parts);
  const join = (conference: Conference) => moveMember(conference, callId, member, parts);
  return openConference(defined({ projectId, name, eventUrl }), join, parts);
}

async function openConference(
  order: NewConference,
  join: (conference: Conference) => Promise<CallRecord>,
  { conferences }: CallParts,
): Promise<ConferenceCall> {
  const conference = await conferences.open(order);
  if (!conference) throw new CallError('store_failing', 'no node is available for the conference');
  try {
    return { conference, record: await join(conference) };
  } catch (error) {
    // No client has received its id.
    conferences.abandon(conference);
    throw error;
  }
}

export async function moveIntoConference(
  { projectId, callId }: CommandedCall,
  conferenceId: string,
  member: MemberOrder,
  parts: CallParts,
): Promise<ConferenceCall> {
  await findCall(projectId, callId, parts);
  const conference = await meetingPlace(projectId, conferenceId, parts);
  if (conference.participants.some((one) => one.callId === callId && one.state !== 'left')) {
    throw new CallError('in_conference', 'the call is in this conference already');
  }
  return { conference, record: await moveMember(conference, callId, member, parts) };
}

export function findConference(projectId: string, conferenceId: string, parts: CallParts): Conference {
  const found = parts.conferences.find(projectId, conferenceId);
  if (!found) throw unknown();
  return found;
}

const unknown = (): CallError => new CallError('unknown_conference', 'there is no such conference');

export function changeMember(
  { projectId, callId }: CommandedCall,
  conferenceId: string,
  change: { muted?: boolean; hold?: boolean },
  parts: CallParts,
): Conference {
  const conference = liveConference(projectId, conferenceId, parts);
  if (!parts.conferences.change(conferenceId, callId, change)) {
    throw new CallError('unknown_call', 'this call is not in the conference');
  }
  return conference;
}

/** Ends a conference: calls that were brought into it are hung up, the others continue in their flows. */
export async function endConference(projectId: string, conferenceId: string, parts: CallParts): Promise<Conference> {
  const conference = liveConference(projectId, conferenceId, parts);
  const brought = [...conference.brought.values()];
  parts.conferences.end(conferenceId);
  await Promise.all(brought.map((hangUp) => hangUp()));
  return conference;
}

/** Hangs up a brought call, which may already have ended. */
export async function hangUpBrought(projectId: string, callId: string, parts: CallParts): Promise<void> {
  await commandCall({ projectId, callId }, HANG_UP, parts).catch((error: unknown) => {
    if (!(error instanceof CallError)) throw error;
  });
}

/** Finds the conference on any node, for a call of this node to join. */
async function meetingPlace(projectId: string, conferenceId: string, parts: CallParts): Promise<Conference> {
  const found = await parts.conferences.locate(projectId, conferenceId);
  if (!found) throw unknown();
  return live(found);
}

function liveConference(projectId: string, conferenceId: string, parts: CallParts): Conference {
  return live(findConference(projectId, conferenceId, parts));
}

function live(conference: Conference): Conference {
  if (conference.state === 'ended') throw new CallError('conference_over', 'the conference has ended');
  return conference;
}

function dialMember(
  conference: Conference,
  { receipt, ...order }: ConferenceCallOrder,
  { options, after }: MemberOrder,
  parts: CallParts,
): Promise<CallRecord> {
  checkMix(parts);
  const { projectId, conferenceId, eventUrl } = conference;
  const url = order.eventUrl ?? eventUrl;
  const placed = placeCall(
    {
      ...order,
      receipt: (record) => receipt?.({ conference, record }),
      action: defined({ type: 'conference', args: { ...options, conference_id: conferenceId }, after }),
      ...(url === undefined ? {} : { eventUrl: url }),
    },
    parts,
  );
  // Announced before the call is placed: a callee who answers quickly may join before `placed` resolves.
  parts.conferences.expect(conference, broughtCall(projectId, order.callId, after, parts));
  return placed;
}

async function moveMember(
  conference: Conference,
  callId: string,
  { options, after }: MemberOrder,
  parts: CallParts,
): Promise<CallRecord> {
  checkMix(parts);
  const { conferenceId, projectId } = conference;
  const command = conferenceCommand({ ...options, conference_id: conferenceId }, after);
  const { record } = await commandCall({ projectId, callId }, command, parts);
  parts.conferences.expect(conference, broughtCall(projectId, callId, after, parts));
  return record;
}

/** Moves a call that is active, or waits to be accepted, into a conference. */
export const conferenceCommand = (args: JsonObject, after: AfterMeeting | undefined): CallCommand => ({
  ...{ type: 'conference', args, accepts: true },
  ...endOf(after),
});

function broughtCall(
  projectId: string,
  callId: string,
  after: AfterMeeting | undefined,
  parts: CallParts,
): BroughtCall {
  const gone = parts.supervisor.ended(callId);
  return after === 'stay' ? { callId, gone } : { callId, gone, hangUp: () => hangUpBrought(projectId, callId, parts) };
}

function checkMix({ engine }: CallParts): void {
  if (!engine.capabilities.mix) throw new CallError('no_service', 'conferences are not supported by this engine');
}
