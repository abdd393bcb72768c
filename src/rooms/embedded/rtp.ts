/**
 * Parser of RTP (RFC 3550) and of the payload descriptor of VP8 (RFC 7741): the parts that forwarding needs. The input
 * is untrusted.
 */

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

export interface RtpPacket {
  bytes: Buffer;
  marker: boolean;
  payloadType: number;
  sequence: number;
  timestamp: number;
  ssrc: number;
  /** Offsets of the payload. */
  start: number;
  end: number;
  mid?: string;
  rid?: string;
  /** dBov; 0 is the loudest, -127 silence (RFC 6464). */
  level?: number;
}

/** Frame information from the payload descriptor of a packet; `pictures.ts` reads it for each codec. */
export interface PictureDescriptor {
  /** True if a key frame starts with this packet. */
  isKey: boolean;
  /** True if a frame starts with this packet; for H.264, a NAL unit. */
  isStart: boolean;
  /** Length of the descriptor in bytes; the rest is codec data. */
  length: number;
  /** Frame size; only in a key frame. */
  size?: { width: number; height: number };
  /** Absent if the sender does not number its frames. */
  pictureId?: { value: number; at: number; isLong: boolean };
  tl0Index?: { value: number; at: number };
}

const HEADER_BYTES = 12;
const ONE_BYTE_PROFILE = 0xbede;
const TWO_BYTE_PROFILE = 0x1000;
const START_CODE = 0x9d012a;
/** Mask of the size; the upper bits are the scaling. */
const SIZE_BITS = 0x3fff;
/** Ends the list of one-byte extensions. */
const STOP_ID = 15;

/** RFC 5761: values of the second byte that mark RTCP. */
export const isRtcp = (bytes: Buffer): boolean => bytes.length >= 8 && bytes[1]! >= 192 && bytes[1]! <= 223;

/** Undefined if it is not RTP. */
export function parseRtp(bytes: Buffer, extensions: ExtensionMap): RtpPacket | undefined {
  if (bytes.length < HEADER_BYTES || bytes[0]! >> 6 !== 2) return undefined;
  const packet: RtpPacket = {
    bytes,
    marker: (bytes[1]! & 0x80) !== 0,
    payloadType: bytes[1]! & 0x7f,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    ssrc: bytes.readUInt32BE(8),
    start: HEADER_BYTES + (bytes[0]! & 0x0f) * 4,
    end: bytes.length,
  };
  if ((bytes[0]! & 0x10) !== 0 && !readExtensions(packet, extensions)) return undefined;
  if ((bytes[0]! & 0x20) !== 0) packet.end -= bytes[bytes.length - 1]!;
  return packet.end < packet.start ? undefined : packet;
}

/** False if they are truncated. */
function readExtensions(packet: RtpPacket, names: ExtensionMap): boolean {
  const { bytes, start } = packet;
  if (start + 4 > bytes.length) return false;
  const profile = bytes.readUInt16BE(start);
  const end = start + 4 + bytes.readUInt16BE(start + 2) * 4;
  if (end > bytes.length) return false;
  packet.start = end;
  const isShort = profile === ONE_BYTE_PROFILE;
  if (!isShort && (profile & 0xfff0) !== TWO_BYTE_PROFILE) return true;
  let at = start + 4;
  while (at < end) {
    const first = bytes[at]!;
    if (first === 0) {
      at++;
      continue;
    }
    const id = isShort ? first >> 4 : first;
    if (isShort && id === STOP_ID) break;
    const length = isShort ? (first & 0x0f) + 1 : (bytes[at + 1] ?? 0);
    at += isShort ? 1 : 2;
    if (at + length > end) break;
    const name = names[id];
    if (name === 'level' && length > 0) packet.level = -(bytes[at]! & 0x7f);
    else if (name === 'mid' || name === 'rid') packet[name] = bytes.toString('latin1', at, at + length);
    at += length;
  }
  return true;
}

/** Offsets are relative to `start`. Undefined if the packet is truncated. */
export function parseVp8({ bytes, start, end }: RtpPacket): PictureDescriptor | undefined {
  if (end - start < 2) return undefined;
  const first = bytes[start]!;
  const isStart = (first & 0x10) !== 0 && (first & 0x07) === 0;
  const descriptor: PictureDescriptor = { isKey: false, isStart, length: 0 };
  let at = start + 1;
  if ((first & 0x80) !== 0) {
    const present = bytes[at++]!;
    if ((present & 0x80) !== 0) {
      if (at + 2 > end) return undefined;
      const isLong = (bytes[at]! & 0x80) !== 0;
      const value = isLong ? bytes.readUInt16BE(at) & 0x7fff : bytes[at]!;
      descriptor.pictureId = { value, at: at - start, isLong };
      at += isLong ? 2 : 1;
    }
    if ((present & 0x40) !== 0) {
      if (at >= end) return undefined;
      descriptor.tl0Index = { value: bytes[at]!, at: at - start };
      at++;
    }
    if ((present & 0x30) !== 0) at++;
  }
  if (at >= end) return undefined;
  descriptor.length = at - start;
  descriptor.isKey = isStart && (bytes[at]! & 1) === 0;
  const size = descriptor.isKey ? sizeOf(bytes, at, end) : undefined;
  if (size) descriptor.size = size;
  return descriptor;
}

/** Reads the frame header of VP8 (RFC 6386 §9.1). */
function sizeOf(bytes: Buffer, at: number, end: number): PictureDescriptor['size'] {
  if (at + 10 > end || bytes.readUIntBE(at + 3, 3) !== START_CODE) return undefined;
  return { width: bytes.readUInt16LE(at + 6) & SIZE_BITS, height: bytes.readUInt16LE(at + 8) & SIZE_BITS };
}
