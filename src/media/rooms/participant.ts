/** Participant of a session, or of its lobby. */
import type { Permissions, ServerMessage, Participant as ShownParticipant } from '../../base/core/room-messages.ts';
import { ParticipantQuality } from './quality.ts';
import type { RoomSettings } from './room.ts';
import type { TokenHolder } from './room-tokens.ts';
import type { BlockedSource, ConnectionDirection, Grants, TrackSource } from './sfu.ts';
import { Usage } from './usage.ts';

/**
 * State of a participant: in the session, waiting for a moderator to join, waiting to be admitted (`knocking`), or
 * `away` with its link down.
 */
export type Presence = 'waiting' | 'knocking' | 'in' | 'away';

/** Connected client: a browser, or the part of the service that handles a phone. */
export interface Link {
  /** Remote address and user agent, where known. */
  readonly address?: string;
  readonly agent?: string;
  /** Address of this node at which the client is connected. */
  readonly serverAddress?: string;
  /** Leg of a phone, which carries its audio. */
  readonly legId?: string;
  send(message: ServerMessage): void;
  /** Closes the link after the last message. */
  close(): void;
  /** Reports an internal error that occurred while a client waited for an answer, and closes the link. */
  failed?(error: unknown): void;
}

export interface Participant extends Omit<TokenHolder, 'roomId'> {
  id: string;
  /** Secret of the client: a new link that presents it resumes this participant. */
  resumeKey: string;
  presence: Presence;
  link: Link | undefined;
  isPhone: boolean;
  joinedMs: number;
  /** The same time on the monotonic clock. Durations are measured from it. */
  joinedMonotonicMs: number;
  /** True if the participant may talk in a lecture. */
  hasFloor: boolean;
  hand: boolean;
  /** Sources muted by the participant or by a moderator. */
  muted: Set<TrackSource>;
  /** Sources that the participant may not unmute. */
  hardMuted: Set<TrackSource>;
  published: Set<TrackSource>;
  readonly usage: Usage;
  readonly quality: ParticipantQuality;
  address: string;
  agent: string;
  serverAddress: string;
  talking: boolean;
  poorLink: boolean;
  /** Directions in which no connection comes up. */
  readonly cutOff: Set<ConnectionDirection>;
  /** Sources that do not get through (`blocked-sources.ts`). */
  readonly blocked: Map<string, BlockedSource>;
}

export const isInside = ({ presence }: Participant): boolean => presence === 'in' || presence === 'away';

type Newcomer = Omit<TokenHolder, 'roomId'> & Pick<Participant, 'id' | 'resumeKey' | 'isPhone' | 'joinedMs'>;

/** New participant in the lobby. */
export const newParticipant = (newcomer: Newcomer, link: Link): Participant => ({
  ...newcomer,
  presence: 'waiting',
  link,
  joinedMonotonicMs: 0,
  hasFloor: false,
  hand: false,
  muted: new Set(),
  hardMuted: new Set(),
  published: new Set(),
  usage: new Usage(),
  quality: new ParticipantQuality(),
  address: link.address ?? '',
  agent: link.agent ?? '',
  serverAddress: link.serverAddress ?? '',
  talking: false,
  poorLink: false,
  cutOff: new Set(),
  blocked: new Map(),
});

const SOURCES: readonly TrackSource[] = ['audio', 'video', 'screen'];

export function permissionsOf(
  { role, hasFloor }: Pick<Participant, 'role' | 'hasFloor'>,
  mode: RoomSettings['mode'],
  canRecord = true,
): Permissions {
  const isModerator = role === 'moderator';
  const publish = isModerator || (role === 'participant' && (mode === 'group' || hasFloor));
  return {
    publish,
    subscribe: role !== 'audience',
    record: isModerator && canRecord,
    stats: isModerator,
    controlhandlers: isModerator,
  };
}

export function grantsOf(participant: Participant, settings: RoomSettings): Grants {
  const { publish, subscribe } = permissionsOf(participant, settings.mode);
  const sources = SOURCES.filter((source) => source !== 'screen' || settings.screen_share);
  return { publish: publish ? sources : [], subscribe };
}

/** Returns the sources to record of each participant, by role. */
export function recordedOf(
  people: readonly Participant[],
  settings: RoomSettings,
): Record<string, readonly TrackSource[]> {
  const byRole = settings.role_based_recording;
  const recorded = people.flatMap(({ id, role }): [string, readonly TrackSource[]][] => {
    if (role !== 'moderator' && role !== 'participant') return [];
    return [[id, byRole[role] === 'audio' ? ['audio'] : SOURCES]];
  });
  return Object.fromEntries(recorded);
}

export const shown = (one: Participant): ShownParticipant => ({
  id: one.id,
  name: one.name,
  role: one.role,
  phone: one.isPhone,
  away: one.presence === 'away',
  hand: one.hand,
  floor: one.hasFloor,
  muted: [...one.muted],
  hard_muted: [...one.hardMuted],
  published: [...one.published],
  poor_link: one.poorLink,
});

export function toggle<Item>(set: Set<Item>, item: Item, on: boolean): void {
  if (on) set.add(item);
  else set.delete(item);
}
