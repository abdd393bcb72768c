/**
 * Port: the engine that carries the media of rooms. The service decides who is in, who may be seen and heard, and what
 * is recorded. The engine does ICE, DTLS, SRTP, forwarding, mixing and raw recording. No type of an engine crosses this
 * port. Its contract is `test/contracts/rooms/engine.ts`.
 */
import type { ClientMessages, ServerMessages } from '../../base/core/room-messages.ts';
import type { MixAddress } from '../toolbox/audio/mix-frame.ts';

export type TrackSource = 'audio' | 'video' | 'screen';

export interface RoomEngine {
  readonly name: string;
  readonly capabilities: RoomEngineCapabilities;
  readonly state: RoomEngineState;
  start(host: RoomEngineHost): Promise<void>;
  stop(): Promise<void>;
  openSession(spec: SessionSpec): void;
  /** Sessions that really run, to compare with after a restart of the engine. */
  listSessions(): string[];
  send(confNum: string, command: EngineCommand): void;
}

export interface RoomEngineCapabilities {
  /** True if phones can be attached. */
  rtpLegs: boolean;
  /** True if publishers send several layers, of which each subscriber receives one. */
  simulcast: boolean;
  recording: boolean;
  /** True if it reports the audio of participants (`listen`). Absent: false. */
  speech?: boolean;
  /** Number of participants for which a session is designed, if all receive each other; absent if not known. */
  people?: number;
  /** How audio and video become segments for an audience. */
  liveStream: 'none' | 'by ffmpeg' | 'by itself';
}

/** `idle`: the engine is not needed yet; `none`: rooms carry no media. */
export type RoomEngineState = { media: 'idle' | 'starting' | 'running' } | { media: 'none'; why: string };

export interface SessionSpec {
  confNum: string;
  /** Sessions of different projects need not share a process. */
  project?: string;
  /** Maximum layer. */
  quality: 'HD' | 'SD' | 'LD';
  /** Folder of its recordings, created with the first file. Absent: recording is not available. */
  recordings?: string;
}

export type Layer = 'HD' | 'SD' | 'LD' | 'off';

/** `participant` is an id of the service. */
export type EngineCommand =
  /**
   * `isPhone`: it has no peer connection; its audio comes from the mix of the room's phones. `name`: shown in live
   * streams.
   */
  | { type: 'admit'; participant: string; grants: Grants; isPhone: boolean; name?: string }
  | { type: 'grant'; participant: string; grants: Grants }
  /** The engine does not forward the source, whatever the client does. */
  | { type: 'mute'; participant: string; source: TrackSource; muted: boolean }
  | { type: 'drop'; participant: string }
  /** Participants whose audio and video are forwarded. */
  | { type: 'set_audible'; participants: readonly string[] }
  | { type: 'set_layer'; participant: string; publisher: string; layer: Layer }
  /**
   * The mix of the room's phones is open: phones receive the audible participants, who receive the phones as `PHONES`.
   */
  | { type: 'attach_phones'; at: MixAddress }
  | { type: 'detach_phones' }
  /** Reports `speech` of these participants, and of `PHONES`, while they are audible. `on`: false ends it. */
  | { type: 'listen'; on: boolean; participants: readonly string[] }
  | { type: 'record'; on: boolean; sources: Readonly<Record<string, readonly TrackSource[]>> }
  /** Folder for the segments of the live stream; it is created. Undefined: ends the stream. */
  | { type: 'live_stream'; directory: string | undefined }
  /** Media message of the client: an offer, an answer, or a restart. */
  | { type: 'negotiate'; participant: string; message: Negotiation }
  | { type: 'end' };

/** Id under which the phones of a room are published together, as one audio source. */
export const PHONES = 'phones';

export interface Grants {
  publish: readonly TrackSource[];
  subscribe: boolean;
}

/** Thrown by an engine if the description of a client cannot be used. The message is for the client. */
export class DescriptionError extends Error {}

/** Messages of clients to the engine; their SDP is untrusted. */
export type Negotiation = ClientMessages['pub.offer' | 'sub.answer' | 'sub.restart'];
/** Replies of the engine. */
export type NegotiationReply = ServerMessages['pub.answer' | 'pub.restart' | 'sub.offer' | 'error'];

/** Events of the engine. */
export type EngineEvent =
  | { type: 'negotiate'; participant: string; message: NegotiationReply }
  | { type: 'connection'; participant: string; direction: ConnectionDirection; state: ConnectionState }
  | { type: 'published'; participant: string; source: TrackSource; on: boolean }
  /** All sources that do not get through in this direction, reported at each change. */
  | { type: 'blocked'; participant: string; direction: ConnectionDirection; sources: readonly BlockedSource[] }
  | { type: 'talking'; participant: string; on: boolean }
  /** Audio of a participant or of `PHONES`, without gaps: 16-bit linear PCM at 8 kHz, in base64. */
  | { type: 'speech'; participant: string; pcm: string }
  | { type: 'stats'; participant: string; samples: readonly QualitySample[] }
  | { type: 'link'; participant: string; poor: boolean }
  | ({ type: 'excess'; participant: string } & Excess)
  /** The file was created, in the folder of the session. */
  | ({ type: 'recording_began'; startedAtMs: number; sources: readonly TrackSource[] } & RecordedFile)
  /** The file is complete. `pictures`: the periods with video, in ms from the start of the file. */
  | ({ type: 'recorded'; durationMs: number; pictures: [number, number][] } & RecordedFile)
  /** Writing the file stopped early. */
  | ({ type: 'recording_failed'; why: string } & RecordedFile)
  /** A segment of the live stream is complete. `isFirst`: it does not continue the previous one. */
  | { type: 'segment'; file: string; durationMs: number; isFirst: boolean }
  /** The stream is interrupted; the engine retries. */
  | { type: 'live_stream_failed'; why: string }
  | { type: 'failed'; why: string };

/** Events about the live stream, which concern no participant. */
export type LiveStreamEvent = Extract<EngineEvent, { type: 'segment' | 'live_stream_failed' }>;

export const isAboutLiveStream = (event: EngineEvent): event is LiveStreamEvent =>
  event.type === 'segment' || event.type === 'live_stream_failed';

const RECORDING: readonly EngineEvent['type'][] = ['recording_began', 'recorded', 'recording_failed'];

/** Events about files, which may complete after the end of their session. */
export const isAboutRecording = ({ type }: EngineEvent): boolean => RECORDING.includes(type);

/** Direction of a connection, as its client sees it. */
export type ConnectionDirection = ServerMessages['media']['direction'];

/**
 * `renewed`: it did not come up in time and is renegotiated; `failed`: neither did the next ones, and attempts
 * continue.
 */
export type ConnectionState = 'up' | 'down' | 'renewed' | 'failed';

/**
 * A participant sends more than it may. `isFirst`: first report of this kind for this participant.
 * `source`: packets of it were dropped. `streams`, `packets`: a connection that had too many of them was closed.
 */
export type Excess = { isFirst: boolean } & (
  | { source: TrackSource; dropped: number }
  | { closed: 'streams' | 'packets' }
);

export interface BlockedSource {
  source: TrackSource;
  /** Participant that publishes it. Absent if it is the participant of the event. */
  owner?: string;
  reason: BlockReason;
  /** Display name of the codec in which the source is sent. */
  codec?: string;
}

/**
 * `no_codec`: the browser cannot send, or cannot receive, a codec that is forwarded; `not_allowed`: the participant may
 * not publish the source; `not_offered`: the client names it, but its offer has no m-line of that kind.
 */
export type BlockReason = 'no_codec' | 'not_allowed' | 'not_offered';

export interface RecordedFile {
  participant: string;
  /** `camera`: microphone and camera together; `screen`: a shared screen. */
  kind: 'camera' | 'screen';
  /** File name, without its folder. */
  file: string;
}

/** Sample of one stream, taken every 5 s. */
export interface QualitySample {
  direction: ConnectionDirection;
  source: TrackSource;
  bitsPerSecond: number;
  /**
   * Bit rate of the layer that the subscriber requests, over the same time. Absent if not known: only loss is graded
   * then.
   */
  expectedBitsPerSecond?: number;
  /** Share of lost packets, 0 to 1. */
  lost: number;
  /** In ms. */
  roundTripMs?: number;
}

export interface RoomEngineHost {
  event(confNum: string, event: EngineEvent): void;
  /**
   * The engine restarted after a crash. `lost`: only these sessions are gone; default: all. Recordings and live streams
   * of these sessions, and of those in `cutOff`, are interrupted, unless `recorded` is reported later.
   */
  restarted(lost?: readonly string[], cutOff?: readonly string[]): void;
}
