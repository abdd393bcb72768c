/**
 * Ports to resources that calls share: venues (conferences, queues, rooms) and recording files. Implemented in
 * `calls/`; a run uses them only after its commit, and receives their events through its mailbox.
 */
import type { Fault } from '../../base/core/fault.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { VenueKind } from '../../base/core/venue-kind.ts';

export interface VenueMember {
  /** Unique; the journal calls it `ticket`. */
  memberId: string;
  callId: string;
  /** Leg that carries the audio. */
  legId: string;
  projectId: string;
  from: string;
  to: string;
  /** Source of the call for limits (`IncomingLeg.source`). */
  source?: string | undefined;
  /** Name of the venue: a conference's name or id, a queue's name, a room's id. */
  name: string;
  options: JsonObject;
  /** URL for events of the call, and the owner's reference, for state that outlives the call. */
  eventUrl?: string | undefined;
  ownerRef?: string | undefined;
  /** Time of arrival at its node; default: now. */
  enteredMs?: number;
  /** State of a member that was in the venue when its owner node, or the link to it, was lost. Not set by flows. */
  resumed?: JsonObject;
  /** Never called from inside `enter`, `tell` or `exit`; not called after `exit`. */
  emit(name: string, data: Json): void;
}

/** Commands of a call; commands of an unknown member are ignored. */
export interface Venue {
  enter(member: VenueMember): void;
  tell(memberId: string, name: string, data: Json): void;
  exit(memberId: string): void;
}

export type Venues = Readonly<Record<VenueKind, Venue>>;

export interface RecordingFiles {
  /**
   * Creates the file of a new recording, named relative to the data directory. Fault `name_taken` if the project has a
   * recording of this name.
   */
  open(recording: {
    recordingId: string;
    callId: string;
    projectId: string;
    name?: string;
  }): { file: string } | { fault: Fault };
  /** Called when the file is complete, or has failed. */
  close(recordingId: string, result: { durationMs: number; failed: boolean }): void;
}
