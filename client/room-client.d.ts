/**
 * Types of `room-client.js`. The messages are defined in `schemas/rooms` of the service, from which `messages.d.ts` is
 * generated.
 */
import type { ClientMessage, ClientMessages, ServerMessage, ServerMessages, Source } from './messages.js';

export { hold, look, sendFeedback } from './look.js';
export type { ClientMessage, Participant, Permissions, Role, ServerMessage, Source } from './messages.js';

export type Invited = ServerMessages['invited'];
export type Welcome = ServerMessages['welcome'];
export type Layer = ClientMessages['layer']['layer'];
/** Live stream for the audience. `url` is a path at the service. */
export type Broadcast = ServerMessages['broadcast'];
/** Link that a moderator created in the room. */
export type Invitation = ServerMessages['invitation'];
/** Words of a speaker. */
export type Caption = ServerMessages['caption'];
export type Poll = ServerMessages['poll'];
/** `send`: media of this client; `receive`: media of the others. */
export type Direction = ServerMessages['media']['direction'];
/** Participant in the lobby. */
export type Knocking = ServerMessages['knocking']['participants'][number];

/** `waiting`: in the lobby; `away`: the link is down and is being restored; `over`: no event follows. */
export type RoomState = 'new' | 'waiting' | 'in' | 'away' | 'over';

/** `participant`: id of the publisher. */
export type ReceivedTrack = ServerMessages['sub.offer']['tracks'][number] & { track: MediaStreamTrack };

interface RoomEvents {
  state: CustomEvent<RoomState>;
  message: CustomEvent<ServerMessage>;
  track: CustomEvent<ReceivedTrack>;
  trackended: CustomEvent<ReceivedTrack>;
  connection: CustomEvent<{ role: 'sender' | 'receiver'; state: RTCPeerConnectionState }>;
  /** The network is gone, or unstable: reported before the link is considered lost (`away`). */
  link: CustomEvent<{ isWeak: boolean }>;
  problem: CustomEvent<unknown>;
}

export class RoomClient extends EventTarget {
  /** `iceServers` replaces the servers from the service. */
  constructor(options: { url: string; iceServers?: RTCIceServer[] });
  readonly state: RoomState;
  /** Id of this participant; after `join`. */
  readonly id: string | undefined;
  /** Reason of the end. */
  readonly reason: string | undefined;
  /** Lets another page resume as this participant, within 30 s. */
  readonly resumeKey: string | undefined;
  readonly tracks: ReceivedTrack[];
  readonly connections: { sender?: RTCPeerConnection; receiver?: RTCPeerConnection };
  /** With `roomId`, a token of another room is refused, and not consumed. */
  join(token: string, options?: { roomId?: string }): Promise<Welcome>;
  resume(resumeKey: string): Promise<Welcome>;
  publish(tracks: Partial<Record<Source, MediaStreamTrack | null>>): Promise<void>;
  mute(source: Source, muted: boolean): void;
  setLayer(participant: string, layer: Layer): void;
  send(message: ClientMessage): void;
  leave(): void;
  addEventListener<Type extends keyof RoomEvents>(type: Type, listener: (event: RoomEvents[Type]) => void): void;
}
