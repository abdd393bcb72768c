/** Messages between a test and the process of its synthetic peers. */
import type { ServerMessages } from '../../../client/messages.d.ts';
import type { TrackSource } from '../../../src/media/rooms/sfu.ts';
import type { FloodKind } from './flood.ts';

/** One layer of a picture, or the only one. */
export interface LayerShape {
  /** Absent: the source has one layer. */
  rid?: string;
  width: number;
  height: number;
  packetsPerFrame: number;
  packetBytes: number;
}

export interface PictureShape {
  framesPerSecond: number;
  /** The best first. */
  layers: readonly LayerShape[];
}

export interface Sending {
  /** The level of the sound, in dBov. */
  audio?: { level: number };
  video?: PictureShape;
  screen?: PictureShape;
}

/** Media that a peer has received on one line. */
export interface Reception {
  participant: string;
  source: TrackSource;
  packets: number;
  octets: number;
  /** Number of complete frames, and of key frames. */
  frames: number;
  keyFrames: number;
  /** Sequence numbers between the first and the last that did not arrive. */
  missing: number;
  /** Packets that arrived after a later one, or by retransmission. */
  late: number;
  /** From the last packet: mark of the sender, and layer, counted from the best. */
  from: number;
  layer: number;
  /** True if the first packet after each change of layer or sender began a key frame. */
  cleanChanges: boolean;
  /** Time stamps went backwards. */
  timeWentBack: boolean;
  /** Since the last packet, in ms. */
  idleMs: number;
  /** From the first answer of this connection to its first packet, in ms. */
  firstAfterMs: number;
}

/** Audio that a webphone has received; silence is not counted. */
export interface PhoneReception {
  heardMs: number;
  digits: string;
}

/** Orders to one peer; each is answered. */
export type PeerOrder =
  | { type: 'add'; mark: number; address: string }
  | { type: 'add_phone'; address: string }
  /** Answered by its offer. */
  | { type: 'phone.call' }
  | { type: 'phone.answer'; sdp: string }
  | { type: 'phone.press'; digits: string }
  | { type: 'phone.speak'; durationMs: number }
  /** Answered by a `PhoneReception`. */
  | { type: 'phone.received' }
  | { type: 'send'; sending: Sending }
  /** The same over a new connection. */
  | { type: 'send_anew' }
  | { type: 'pub.answer'; sdp: string }
  | ServerMessages['sub.offer']
  | { type: 'level'; level: number }
  | { type: 'received' }
  /** Says from now on how much its link carries; as receivers do, every second. */
  | { type: 'estimate'; bitsPerSecond: number }
  | { type: 'ask_key_frame'; participant: string; source: TrackSource }
  /** Sends this number of packets that are not media. They are protected by SRTP, so that they pass decryption. */
  | { type: 'garbage'; seed: number; packets: number }
  /** Until the next one; 0 packets end it. */
  | { type: 'flood'; kind: FloodKind; packetsPerSecond: number }
  | { type: 'state' }
  | { type: 'close' };

export interface ToPeers {
  id: number;
  peer: string;
  order: PeerOrder;
}

export interface FromPeers {
  id: number;
  result?: unknown;
  problem?: string;
}
