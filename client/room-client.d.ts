/** Types of `room-client.js`. Messages are those of `schemas/rooms` of the service; `messages.d.ts` is made of these. */
import type { ClientMessage, ClientMessages, ServerMessage, ServerMessages, Source } from './messages.js';

export { hold, look } from './look.js';
export type { ClientMessage, Participant, Permissions, Role, ServerMessage, Source } from './messages.js';

export type Invited = ServerMessages['invited'];
export type Welcome = ServerMessages['welcome'];
export type Layer = ClientMessages['layer']['layer'];
/** To the audience: what there is to see. `url` is a path at the service. */
export type Broadcast = ServerMessages['broadcast'];
/** What the client sends, or what it receives. */
export type Direction = ServerMessages['media']['direction'];
/** Somebody before the door. */
export type Knocking = ServerMessages['knocking']['participants'][number];

/** `waiting`: before the door; `away`: the link is down, and is tried again; `over`: nothing follows. */
export type RoomState = 'new' | 'waiting' | 'in' | 'away' | 'over';

/** `participant`: id of who sends it. */
export type ReceivedTrack = ServerMessages['sub.offer']['tracks'][number] & { track: MediaStreamTrack };

interface RoomEvents {
  state: CustomEvent<RoomState>;
  message: CustomEvent<ServerMessage>;
  track: CustomEvent<ReceivedTrack>;
  trackended: CustomEvent<ReceivedTrack>;
  connection: CustomEvent<{ role: 'sender' | 'receiver'; state: RTCPeerConnectionState }>;
  /** The network is gone, or comes and goes: noticed before the link is taken for lost (`away`). */
  link: CustomEvent<{ isWeak: boolean }>;
  problem: CustomEvent<unknown>;
}

export class RoomClient extends EventTarget {
  /** With `iceServers` those of the service are not used. */
  constructor(options: { url: string; iceServers?: RTCIceServer[] });
  readonly state: RoomState;
  /** Of this person; after `join`. */
  readonly id: string | undefined;
  /** Why it is over. */
  readonly reason: string | undefined;
  /** Lets another page go on as this person, within 30 s. */
  readonly resumeKey: string | undefined;
  readonly tracks: ReceivedTrack[];
  readonly connections: { sender?: RTCPeerConnection; receiver?: RTCPeerConnection };
  /** With `roomId` a token of another room is refused, and not used up. */
  join(token: string, options?: { roomId?: string }): Promise<Welcome>;
  resume(resumeKey: string): Promise<Welcome>;
  publish(tracks: Partial<Record<Source, MediaStreamTrack | null>>): Promise<void>;
  mute(source: Source, muted: boolean): void;
  setLayer(participant: string, layer: Layer): void;
  send(message: ClientMessage): void;
  leave(): void;
  addEventListener<Type extends keyof RoomEvents>(type: Type, listener: (event: RoomEvents[Type]) => void): void;
}
