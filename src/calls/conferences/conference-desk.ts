/**
 * Conferences as REST sees them. Those that are here are read and changed here; a request for another goes to the node that
 * has it. A call of this node may be brought into any.
 */
import type { BroughtCall, Conference, Conferences, NewConference } from './conferences.ts';

export interface ConferenceDesk extends Pick<Conferences, 'find' | 'list' | 'change' | 'end'> {
  /** Makes a conference at the home of its name; undefined: that cannot be reached now. */
  open(order: NewConference): Promise<Conference | undefined>;
  /** What `open` made, and nobody is to know of. */
  abandon(conference: Conference): void;
  /** Wherever it is; one that is elsewhere is a copy. */
  locate(projectId: string, conferenceId: string): Promise<Conference | undefined>;
  /** A call of this node is on its way to it. */
  expect(conference: Conference, call: BroughtCall): void;
}

/** All of them are here. */
export const conferenceDesk = (conferences: Conferences): ConferenceDesk => ({
  find: (...of) => conferences.find(...of),
  list: (...of) => conferences.list(...of),
  change: (...what) => conferences.change(...what),
  end: (conferenceId) => conferences.end(conferenceId),
  open: async (order) => conferences.open(order),
  abandon: ({ conferenceId }) => conferences.end(conferenceId),
  locate: async (...of) => conferences.find(...of),
  expect: ({ conferenceId }, call) => conferences.expect(conferenceId, call),
});
