/** Types of `room-client.js`. Messages are those of `schemas/rooms` of the service. */
export type Source = 'audio' | 'video' | 'screen';
export type Layer = 'HD' | 'SD' | 'LD' | 'off';

/** `waiting`: before the door; `away`: the link is down, and is tried again; `over`: nothing follows. */
export type RoomState = 'new' | 'waiting' | 'in' | 'away' | 'over';

export interface RoomMessage {
  type: string;
  [key: string]: unknown;
}

export interface Welcome extends RoomMessage {
  type: 'welcome';
  id: string;
  role: 'moderator' | 'participant' | 'viewer' | 'audience';
  participants: RoomMessage[];
}

export interface ReceivedTrack {
  mid: string;
  /** Id of who sends it. */
  participant: string;
  source: Source;
  track: MediaStreamTrack;
}

interface RoomEvents {
  state: CustomEvent<RoomState>;
  message: CustomEvent<RoomMessage>;
  track: CustomEvent<ReceivedTrack>;
  trackended: CustomEvent<ReceivedTrack>;
  connection: CustomEvent<{ role: 'sender' | 'receiver'; state: RTCPeerConnectionState }>;
  problem: CustomEvent<unknown>;
}

export class RoomClient extends EventTarget {
  constructor(options: { url: string; iceServers?: RTCIceServer[] });
  readonly state: RoomState;
  /** Of this person; after `join`. */
  readonly id: string | undefined;
  /** Why it is over. */
  readonly reason: string | undefined;
  readonly tracks: ReceivedTrack[];
  readonly connections: { sender?: RTCPeerConnection; receiver?: RTCPeerConnection };
  join(token: string): Promise<Welcome>;
  publish(tracks: Partial<Record<Source, MediaStreamTrack | null>>): Promise<void>;
  mute(source: Source, muted: boolean): void;
  setLayer(participant: string, layer: Layer): void;
  send(message: RoomMessage): void;
  leave(): void;
  addEventListener<Type extends keyof RoomEvents>(type: Type, listener: (event: RoomEvents[Type]) => void): void;
}
