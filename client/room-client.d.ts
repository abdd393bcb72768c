/** Types of `room-client.js`. Messages are those of `schemas/rooms` of the service. */
export { look } from './look.js';

export type Source = 'audio' | 'video' | 'screen';
export type Layer = 'HD' | 'SD' | 'LD' | 'off';
export type Role = 'moderator' | 'participant' | 'viewer' | 'audience';

/** `waiting`: before the door; `away`: the link is down, and is tried again; `over`: nothing follows. */
export type RoomState = 'new' | 'waiting' | 'in' | 'away' | 'over';

export interface Permissions {
  publish: boolean;
  subscribe: boolean;
  record: boolean;
  stats: boolean;
  controlhandlers: boolean;
}

/** Somebody in the session, as others see them. */
export interface Participant {
  id: string;
  name: string;
  role: Role;
  phone: boolean;
  away: boolean;
  hand: boolean;
  floor: boolean;
  muted: Source[];
  hard_muted: Source[];
  published: Source[];
  poor_link: boolean;
}

/** Somebody before the door. */
export interface Knocking {
  id: string;
  name: string;
  role: Role;
}

export interface Invited {
  type: 'invited';
  name: string;
  role: Role;
  /** Milliseconds since 1970. */
  expires_at: number;
  room: { room_id: string; name: string; mode: 'group' | 'lecture' };
}

export interface Welcome {
  type: 'welcome';
  id: string;
  resume_key: string;
  role: Role;
  permissions: Permissions;
  room: { room_id: string; name: string; conf_num: string; settings: Record<string, unknown> };
  /** The others. */
  participants: Participant[];
  recording: boolean;
  talking: string[];
  ice_servers: RTCIceServer[];
}

/** What the service says, but for what the client answers itself (`pub.answer`, `sub.offer`, `pong`). */
export type ServerMessage =
  | Welcome
  | { type: 'waiting'; for: 'moderator' | 'admission' }
  | { type: 'joined' | 'changed'; participant: Participant }
  | { type: 'left'; id: string; reason: 'left' | 'dropped' | 'lost' | 'ended' | 'denied' }
  | { type: 'talking'; participants: string[] }
  | { type: 'knocking'; participants: Knocking[] }
  | { type: 'floor'; given: boolean; permissions: Permissions }
  | { type: 'recording'; on: boolean }
  | { type: 'chat'; from: string; name: string; text: string; at: number; private: boolean }
  | { type: 'media_restarted' | 'denied' | 'dropped' }
  | { type: 'ended'; reason: 'ended' | 'room_over' }
  | { type: 'error'; code: string; message?: string; about?: string };

/** What a page may ask for; the client sends the rest itself. */
export type ClientMessage =
  | { type: 'mute'; source: Source; muted: boolean }
  | { type: 'layer'; participant: string; layer: Layer }
  | { type: 'hand'; raised: boolean }
  | { type: 'chat'; text: string; to?: string }
  | { type: 'admit' | 'deny' | 'drop'; participant: string }
  | { type: 'mute_user'; participant: string; source: Source; muted: boolean; hard?: boolean }
  | { type: 'mute_all'; source: Source; muted: boolean; hard?: boolean }
  | { type: 'floor'; participant: string; given: boolean }
  | { type: 'record'; on: boolean }
  | { type: 'leave' | 'end' };

export interface ReceivedTrack {
  mid: string;
  /** Id of who sends it. */
  participant: string;
  source: Source;
  track: MediaStreamTrack;
}

interface RoomEvents {
  state: CustomEvent<RoomState>;
  message: CustomEvent<ServerMessage>;
  track: CustomEvent<ReceivedTrack>;
  trackended: CustomEvent<ReceivedTrack>;
  connection: CustomEvent<{ role: 'sender' | 'receiver'; state: RTCPeerConnectionState }>;
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
