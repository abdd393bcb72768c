/** Ports of a session: what it requires, and the events that it reports to records, webhooks and the log. */
import type { Clock } from '../../base/core/clock.ts';
import type { Recognizer } from '../telephony/recognition.ts';
import type { Feedback } from './call-detail.ts';
import type { ModeratorCommand } from './client-messages.ts';
import type { IceServer } from './ice-servers.ts';
import type { Participant } from './participant.ts';
import type { RoomRole, VideoRoom } from './room.ts';
import type { InvitationTokens } from './room-tokens.ts';
import type { BlockedSource, ConnectionDirection, EngineCommand, TrackSource } from './sfu.ts';

export type LeaveReason = 'left' | 'dropped' | 'lost' | 'ended' | 'denied';

export interface SessionPorts {
  clock: Clock;
  confNum: string;
  /** Room at the start of the session. Changes apply to later sessions. */
  room: VideoRoom;
  /** True if the engine can record. */
  canRecord: boolean;
  send(command: EngineCommand): void;
  nextId(kind: string): string;
  tokens: InvitationTokens;
  recognizer?: Recognizer | undefined;
  /** True if the engine reports the audio of participants. */
  canListen: boolean;
  /** Servers for the connections of its client. */
  iceServers(participant: string): IceServer[];
  /** Events for the journal of the room, its webhooks and its records. */
  onEvent(event: SessionEvent): void;
  /** Events for the timeline of the archive. */
  onTimelineEvent(event: TimelineEvent): void;
  /** The last participant left. */
  onEmpty(): void;
}

/** Without `by`, an administrator acted. `name` is that of the participant whom the command concerns. */
export interface Moderation {
  command: ModeratorCommand;
  by: Participant | undefined;
  name?: string | undefined;
}

/** Poll as applications and operators see it: without names. */
export interface PollReport {
  id: string;
  question: string;
  multiple: boolean;
  anonymous: boolean;
  results: 'all' | 'moderators';
  /** Number of participants who have voted. */
  voters: number;
  answers: { text: string; votes: number }[];
}

export type SessionEvent =
  | { type: 'joined'; participant: Participant }
  | { type: 'left'; participant: Participant; reason: LeaveReason }
  /** Media in this direction did not get through. */
  | { type: 'connection'; participant: Participant; direction: ConnectionDirection; state: 'renewed' | 'failed' }
  /** A source of the participant, or of `owner` towards the participant, does not get through. */
  | ({ type: 'blocked'; participant: Participant; direction: ConnectionDirection } & BlockedSource)
  | { type: 'recording'; on: boolean; by?: Participant }
  | ({ type: 'moderated' } & Moderation)
  | { type: 'invited'; by: Participant; role: RoomRole; name: string; invitation: string }
  | { type: 'invitation_revoked'; by: Participant; invitation: string }
  /** After the participant has left; the session may have ended. */
  | ({ type: 'feedback'; participant: Participant } & Feedback)
  | { type: 'captions'; on: boolean; by?: Participant }
  /** Without `by`, it was closed with the session. */
  | { type: 'poll'; state: 'started' | 'closed'; by?: Participant; report: PollReport }
  /** In rooms that keep captions. */
  | { type: 'caption'; participant: Participant; text: string; atMs: number }
  | { type: 'chat'; from: Participant; to?: Participant; text: string; atMs: number };

/** Frequent events that only the archive needs. */
export type TimelineEvent =
  | { type: 'published'; participant: Participant; source: TrackSource; on: boolean }
  | { type: 'talking'; participant: Participant; on: boolean };

/** `active`: the first participant joined; `over`: the last one left, or the service crashed. */
export type ReportedEvent =
  | SessionEvent
  | { type: 'active' }
  | { type: 'over'; reason?: 'crash' }
  | { type: 'media_restarted' };

export type AdmissionResult = { participant: Participant } | { refused: 'full' | 'moderators_full' | 'ended' };
