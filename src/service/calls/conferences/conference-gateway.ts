/**
 * Conferences as seen by REST. Local conferences are read and changed here; requests for others are forwarded to their
 * owner node. A call of this node may be brought into any conference.
 */
import type { BroughtCall, Conference, Conferences, NewConference } from './conferences.ts';

export interface ConferenceGateway extends Pick<Conferences, 'find' | 'list' | 'change' | 'end'> {
  /** Creates a conference on the owner node of its name. Undefined if that node cannot be reached now. */
  open(order: NewConference): Promise<Conference | undefined>;
  /** Removes a conference from `open` whose id no client has received. */
  abandon(conference: Conference): void;
  /** Finds a conference on any node; a remote one is returned as a copy. */
  locate(projectId: string, conferenceId: string): Promise<Conference | undefined>;
  /** Announces that a call of this node will join. */
  expect(conference: Conference, call: BroughtCall): void;
}

/** Conference desk of a single node, where all conferences are local. */
export const conferenceGateway = (conferences: Conferences): ConferenceGateway => ({
  find: (...of) => conferences.find(...of),
  list: (...of) => conferences.list(...of),
  change: (...what) => conferences.change(...what),
  end: (conferenceId) => conferences.end(conferenceId),
  open: async (order) => conferences.open(order),
  abandon: ({ conferenceId }) => conferences.end(conferenceId),
  locate: async (...of) => conferences.find(...of),
  expect: ({ conferenceId }, call) => conferences.expect(conferenceId, call),
});
