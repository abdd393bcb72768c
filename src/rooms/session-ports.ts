/** What a session asks of its surroundings, and what it reports: to reports, webhooks and the log. */
import type { Clock } from '../core/clock.ts';
import type { ModeratorCommand } from './client-messages.ts';
import type { IceServer } from './ice-servers.ts';
import type { Participant } from './participant.ts';
import type { VideoRoom } from './room.ts';
import type { BlockedSource, Direction, EngineCommand, Source } from './sfu.ts';

export type LeaveReason = 'left' | 'dropped' | 'lost' | 'ended' | 'denied';

export interface SessionPorts {
  clock: Clock;
  confNum: string;
  /** As it is when the session begins: changes are for later ones. */
  room: VideoRoom;
  /** Whether the engine can. */
  canRecord: boolean;
  send(command: EngineCommand): void;
  nextId(kind: string): string;
  /** For the connections of its client. */
  iceServers(participant: string): IceServer[];
  /** For the journal of the room, its webhooks and its reports. */
  happened(event: SessionEvent): void;
  /** For the time line of the archive. */
  noted(note: SessionNote): void;
  /** Nobody is in any more. */
  over(): void;
}

/** Without `by`: an administrator. `name`: of the participant that the command is about. */
export interface Moderation {
  command: ModeratorCommand;
  by: Participant | undefined;
  name?: string | undefined;
}

export type SessionEvent =
  | { type: 'joined'; participant: Participant }
  | { type: 'left'; participant: Participant; reason: LeaveReason }
  /** What they send or receive did not come through. */
  | { type: 'connection'; participant: Participant; direction: Direction; state: 'renewed' | 'failed' }
  /** A source of theirs, or of `owner` towards them, does not come through. */
  | ({ type: 'blocked'; participant: Participant; direction: Direction } & BlockedSource)
  | { type: 'recording'; on: boolean; by?: Participant }
  | ({ type: 'moderated' } & Moderation)
  | { type: 'chat'; from: Participant; to?: Participant; text: string; atMs: number };

/** Happens often, and is of interest only afterwards. */
export type SessionNote =
  | { type: 'published'; participant: Participant; source: Source; on: boolean }
  | { type: 'talking'; participant: Participant; on: boolean };

/** `active`: the first is in; `over`: nobody is in any more, or the service died. */
export type HappenedEvent =
  | SessionEvent
  | { type: 'active' }
  | { type: 'over'; reason?: 'crash' }
  | { type: 'media_restarted' };

export type Admission = { participant: Participant } | { refused: 'full' | 'moderators_full' | 'ended' };
