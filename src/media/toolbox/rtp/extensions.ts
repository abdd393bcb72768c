/** Header extensions of RTP (RFC 8285) that the service reads. The input is untrusted. */
import { readUint16 } from './bytes.ts';

/** URIs of header extensions in SDP. */
export const EXTENSIONS = {
  mid: 'urn:ietf:params:rtp-hdrext:sdes:mid',
  rid: 'urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id',
  level: 'urn:ietf:params:rtp-hdrext:ssrc-audio-level',
  sendTime: 'http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time',
} as const;

export type ExtensionName = keyof typeof EXTENSIONS;
/** By negotiated id. */
export type ExtensionMap = Readonly<Record<number, ExtensionName>>;

export interface ExtensionValues {
  mid?: string;
  rid?: string;
  /** dBov; 0 is the loudest, -127 silence (RFC 6464). */
  level?: number;
}

/** Profile and length. */
const BLOCK_HEADER_BYTES = 4;
const ONE_BYTE_PROFILE = 0xbede;
const TWO_BYTE_PROFILE = 0x1000;
/** Ends the list of one-byte extensions. */
const STOP_ID = 15;

/** Packet with extensions before its payload. */
interface ExtendedPacket extends ExtensionValues {
  bytes: Uint8Array;
  payloadStart: number;
}

/** Reads the extensions of a packet into it. `start`: of their block, with its header. Other profiles are ignored. */
export function readExtensions(packet: ExtendedPacket, start: number, names: ExtensionMap): void {
  const { bytes, payloadStart: end } = packet;
  const profile = readUint16(bytes, start);
  const isShort = profile === ONE_BYTE_PROFILE;
  if (!isShort && (profile & 0xfff0) !== TWO_BYTE_PROFILE) return;
  for (let at = start + BLOCK_HEADER_BYTES; at < end; ) {
    const first = bytes[at]!;
    if (first === 0) {
      at++;
      continue;
    }
    const id = isShort ? first >> 4 : first;
    if (isShort && id === STOP_ID) return;
    const length = isShort ? (first & 0x0f) + 1 : (bytes[at + 1] ?? 0);
    at += isShort ? 1 : 2;
    if (at + length > end) return;
    const name = names[id];
    if (name === 'level' && length > 0) packet.level = -(bytes[at]! & 0x7f);
    else if (name === 'mid' || name === 'rid') packet[name] = textOf(bytes, at, at + length);
    at += length;
  }
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}
