/**
 * Ports to what several calls share: venues (conferences, queues, rooms) and recording files. Implemented in `calls/`; a
 * run commands them only after its commit, and receives their events through its mailbox.
 */
import type { Fault } from '../core/fault.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { VenueKind } from '../core/venue-kind.ts';

export interface VenueMember {
  /** Unique; the journal calls it the ticket. */
  memberId: string;
  callId: string;
  /** Whose sound it is. */
  legId: string;
  projectId: string;
  from: string;
  to: string;
  /** Of the venue: a conference's name or id, a queue's name, a room's id. */
  name: string;
  options: JsonObject;
  /** Where the events of the call go, and what its owner calls it: for what outlives the call. */
  eventUrl?: string | undefined;
  ownerRef?: string | undefined;
  /** When it came to its node; default: now. */
  enteredMs?: number;
  /** It was here before, and its home was lost, or the way to it: what it knew there. Not from flows. */
  resumed?: JsonObject;
  /** Never called from inside `enter`, `tell` or `exit`; not called after `exit`. */
  emit(name: string, data: Json): void;
}

/** The commands of a call; those of an unknown member are ignored. */
export interface Venue {
  enter(visitor: VenueMember): void;
  tell(ticket: string, name: string, data: Json): void;
  exit(ticket: string): void;
}

export type Venues = Readonly<Record<VenueKind, Venue>>;

export interface RecordingFiles {
  /** A file for a new recording, by its name below the data directory; a fault `name_taken` where the project has one of this name. */
  open(recording: {
    recordingId: string;
    callId: string;
    projectId: string;
    name?: string;
  }): { file: string } | { fault: Fault };
  /** The file is complete, or will never be. */
  close(recordingId: string, result: { durationMs: number; failed: boolean }): void;
}
