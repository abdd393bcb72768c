/** What a test and the process of its synthetic peers say to each other. */
import type { ServerMessages } from '../../../client/messages.d.ts';
import type { Source } from '../../../src/rooms/sfu.ts';
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

/** What a peer received of one line so far. */
export interface Reception {
  participant: string;
  source: Source;
  packets: number;
  octets: number;
  /** Whole pictures, and those that begin anew. */
  frames: number;
  keyFrames: number;
  /** Numbers between the first and the last that did not come. */
  missing: number;
  /** Came after something later, or when it was asked for. */
  late: number;
  /** Of the last packet: the mark of who sent it, and the layer, counted from the best. */
  from: number;
  layer: number;
  /** Whether the first packet after each change of layer or sender began a picture anew. */
  cleanChanges: boolean;
  /** Time stamps went backwards. */
  timeWentBack: boolean;
  /** Since the last packet, in ms. */
  idleMs: number;
  /** From the first answer of this connection to its first packet, in ms. */
  firstAfterMs: number;
}

/** What a phone in a browser heard so far; silence is nothing. */
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
  /** The same by a new connection. */
  | { type: 'send_anew' }
  | { type: 'pub.answer'; sdp: string }
  | ServerMessages['sub.offer']
  | { type: 'level'; level: number }
  | { type: 'received' }
  /** Says from now on how much its link carries; as receivers do, every second. */
  | { type: 'estimate'; bitsPerSecond: number }
  | { type: 'ask_key_frame'; participant: string; source: Source }
  /** Sends bytes that are no media, as many as that: SRTP protects them, so that they get as far as anything. */
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
