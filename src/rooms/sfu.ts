/**
 * Port: what carries the media of rooms. The service decides who is in, who may be seen and heard, and what is recorded;
 * the engine does ICE, DTLS, SRTP, forwarding, mixing and raw recording. Nothing of an engine crosses this port. Its
 * contract is `contracts/rooms/engine.ts`.
 */
import type { ClientMessages, ServerMessages } from '../../client/messages.d.ts';
import type { MixAddress } from '../core/mix-frame.ts';

export type Source = 'audio' | 'video' | 'screen';

export interface RoomEngine {
  readonly name: string;
  readonly capabilities: RoomEngineCapabilities;
  readonly state: RoomEngineState;
  start(host: RoomEngineHost): Promise<void>;
  stop(): Promise<void>;
  openSession(spec: SessionSpec): void;
  /** What really runs, to compare with after a restart of the engine. */
  listSessions(): string[];
  send(confNum: string, command: EngineCommand): void;
}

export interface RoomEngineCapabilities {
  /** Telephones may be attached. */
  rtpLegs: boolean;
  /** Publishers send several layers, of which each viewer gets one. */
  simulcast: boolean;
  recording: boolean;
  /** Number of people who all see and hear each other that a session is made for; absent if not known. */
  people?: number;
  /** How what is said and shown becomes segments for an audience. */
  broadcast: 'none' | 'by ffmpeg' | 'by itself';
}

/** `idle`: nobody needs it yet; `none`: rooms carry no media. */
export type RoomEngineState = { media: 'idle' | 'starting' | 'running' } | { media: 'none'; why: string };

export interface SessionSpec {
  confNum: string;
  /** Sessions of different projects need not share a process. */
  project?: string;
  /** The best picture. */
  quality: 'HD' | 'SD' | 'LD';
  /** Where recordings of it go, made with the first file; absent: nothing is recorded. */
  recordings?: string;
}

export type Layer = 'HD' | 'SD' | 'LD' | 'off';

/** `participant` is an id of the service. */
export type EngineCommand =
  /** `isPhone`: it has no peer connection; its sound comes from the mix of the room's telephones. */
  | { type: 'admit'; participant: string; grants: Grants; isPhone: boolean }
  | { type: 'grant'; participant: string; grants: Grants }
  /** Nothing of it is forwarded, whatever the client does. */
  | { type: 'mute'; participant: string; source: Source; muted: boolean }
  | { type: 'drop'; participant: string }
  /** Whose sound and picture are forwarded. */
  | { type: 'set_audible'; participants: readonly string[] }
  | { type: 'set_layer'; participant: string; publisher: string; layer: Layer }
  /** The mix of the room's telephones is there: they are to hear the audible participants, who hear them as `PHONES`. */
  | { type: 'attach_phones'; at: MixAddress }
  | { type: 'detach_phones' }
  | { type: 'record'; on: boolean; sources: Readonly<Record<string, readonly Source[]>> }
  /** Segments for an audience go into this folder, which is made; undefined: no more of them. */
  | { type: 'broadcast'; directory: string | undefined }
  /** A message of its client that is about media: an offer, an answer, a new beginning. */
  | { type: 'negotiate'; participant: string; message: Negotiation }
  | { type: 'end' };

/** Under this id the telephones of a room are published together, as one source of sound. */
export const PHONES = 'phones';

export interface Grants {
  publish: readonly Source[];
  subscribe: boolean;
}

/** Thrown by an engine for a description of a client that cannot be used. The message is for the client. */
export class DescriptionError extends Error {}

/** What a client says to the engine; SDP is theirs. */
export type Negotiation = ClientMessages['pub.offer' | 'sub.answer' | 'sub.restart'];
/** What the engine says to it. */
export type NegotiationReply = ServerMessages['pub.answer' | 'pub.restart' | 'sub.offer' | 'error'];

/** What the engine reports. */
export type EngineEvent =
  | { type: 'negotiate'; participant: string; message: NegotiationReply }
  | { type: 'connection'; participant: string; direction: Direction; state: ConnectionState }
  | { type: 'published'; participant: string; source: Source; on: boolean }
  /** Sources that do not come through in this direction: all of them, each time that this changes. */
  | { type: 'blocked'; participant: string; direction: Direction; sources: readonly BlockedSource[] }
  | { type: 'talking'; participant: string; on: boolean }
  | { type: 'stats'; participant: string; samples: readonly QualitySample[] }
  | { type: 'link'; participant: string; poor: boolean }
  | ({ type: 'excess'; participant: string } & Excess)
  /** There is a file, in the folder of the session. */
  | ({ type: 'recording_began'; startedAtMs: number; sources: readonly Source[] } & RecordedFile)
  /** It is whole. `pictures`: from when to when it has one, in ms from its beginning on. */
  | ({ type: 'recorded'; durationMs: number; pictures: [number, number][] } & RecordedFile)
  /** No more is written into it. */
  | ({ type: 'recording_failed'; why: string } & RecordedFile)
  /** A segment for the audience is whole. `isFirst`: it does not go on where the one before ended. */
  | { type: 'segment'; file: string; durationMs: number; isFirst: boolean }
  /** None comes for a while; it is tried again. */
  | { type: 'broadcast_failed'; why: string }
  | { type: 'failed'; why: string };

/** Those that are about what the audience gets, and not about anybody in the session. */
export type BroadcastEvent = Extract<EngineEvent, { type: 'segment' | 'broadcast_failed' }>;

export const isAboutBroadcast = (event: EngineEvent): event is BroadcastEvent =>
  event.type === 'segment' || event.type === 'broadcast_failed';

const RECORDING: readonly EngineEvent['type'][] = ['recording_began', 'recorded', 'recording_failed'];

/** Those about files, which become whole after the end of their session. */
export const isAboutRecording = ({ type }: EngineEvent): boolean => RECORDING.includes(type);

/** Of a connection, as its client sees it. */
export type Direction = ServerMessages['media']['direction'];

/** `renewed`: it did not come up in time, and is made anew; `failed`: nor did those that followed, which go on. */
export type ConnectionState = 'up' | 'down' | 'renewed' | 'failed';

/**
 * More than a participant may send. `isFirst`: the first of this kind from this participant.
 * `source`: packets of it were dropped. `streams`, `packets`: a connection that had too many of them was closed.
 */
export type Excess = { isFirst: boolean } & ({ source: Source; dropped: number } | { closed: 'streams' | 'packets' });

export interface BlockedSource {
  source: Source;
  /** Participant that publishes it. Absent if it is the one that the event is about. */
  owner?: string;
  reason: BlockReason;
  /** Codec in which the source is sent, as people know it. */
  codec?: string;
}

/**
 * `no_codec`: the browser cannot send, or receive, a codec that is forwarded; `not_allowed`: the participant may not publish
 * it; `not_offered`: the client names it, and its offer has no line of that kind.
 */
export type BlockReason = 'no_codec' | 'not_allowed' | 'not_offered';

export interface RecordedFile {
  participant: string;
  /** Microphone and camera together, or a shared screen. */
  kind: 'camera' | 'screen';
  /** Its name, without its folder. */
  file: string;
}

/** Taken every 5 s of each stream. */
export interface QualitySample {
  direction: Direction;
  source: Source;
  bitsPerSecond: number;
  /** Bit rate of the layer that the viewer wishes, in the same time. Absent if not known: only loss is graded then. */
  expectedBitsPerSecond?: number;
  /** 0 to 1. */
  lost: number;
  /** Milliseconds. */
  roundTripMs?: number;
}

export interface RoomEngineHost {
  event(confNum: string, event: EngineEvent): void;
  /**
   * It runs again after it died: its sessions are gone. `lost`: only these, the others go on. What was being recorded or
   * shown to an audience in them, or in `cutOff`, is cut off, unless `recorded` is reported after all.
   */
  restarted(lost?: readonly string[], cutOff?: readonly string[]): void;
}
