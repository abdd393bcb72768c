/** RTP packets (RFC 3550 §5.1): written into a buffer of the caller, read without copying. The input is untrusted. */
import { readUint16, readUint32, writeUint16, writeUint32 } from './bytes.ts';
import { type ExtensionMap, type ExtensionValues, readExtensions } from './extensions.ts';

export const RTP_HEADER_BYTES = 12;
/** First byte of a packet without extension, contributing sources and padding. */
export const VERSION_BITS = 0x80;
const PADDING = 0x20;
const EXTENSION = 0x10;
const SOURCES = 0x0f;
/** In the second byte, beside the payload type. */
export const MARKER = 0x80;
const RTCP_HEADER_BYTES = 8;

export interface RtpHeader {
  payloadType: number;
  marker: boolean;
  sequence: number;
  timestamp: number;
  ssrc: number;
}

/** Packet in the buffer in which it arrived or is sent. */
export interface RtpPacket<Bytes extends Uint8Array = Uint8Array> extends RtpHeader, ExtensionValues {
  bytes: Bytes;
  payloadStart: number;
  payloadEnd: number;
}

/** Writes a header without contributing sources, extension and padding. */
export function writeRtpHeader(bytes: Uint8Array, header: RtpHeader): void {
  const { payloadType, marker, sequence, timestamp, ssrc } = header;
  bytes[0] = VERSION_BITS;
  bytes[1] = (marker ? MARKER : 0) | payloadType;
  writeUint16(bytes, 2, sequence);
  writeUint32(bytes, 4, timestamp);
  writeUint32(bytes, 8, ssrc);
}

/**
 * Reads header, contributing sources, extensions and padding. Returns undefined if the packet is not RTP, or if its
 * lengths are inconsistent. RTCP multiplexed onto this port (payload types 64–95, RFC 5761 §4) is not RTP either.
 */
export function readRtp<Bytes extends Uint8Array>(
  bytes: Bytes,
  extensions?: ExtensionMap,
): RtpPacket<Bytes> | undefined {
  const payloadStart = headerEnd(bytes);
  if (payloadStart === undefined) return undefined;
  const flags = bytes[0]!;
  const payloadType = bytes[1]! & 0x7f;
  if (payloadType >= 64 && payloadType <= 95) return undefined;
  const padding = flags & PADDING ? bytes[bytes.length - 1]! : 0;
  const payloadEnd = bytes.length - padding;
  if (payloadStart > payloadEnd || (flags & PADDING && padding === 0)) return undefined;
  const packet: RtpPacket<Bytes> = {
    bytes,
    payloadType,
    marker: (bytes[1]! & MARKER) !== 0,
    sequence: readUint16(bytes, 2),
    timestamp: readUint32(bytes, 4),
    ssrc: readUint32(bytes, 8),
    payloadStart,
    payloadEnd,
  };
  if (extensions && flags & EXTENSION) readExtensions(packet, sourcesEnd(flags), extensions);
  return packet;
}

/** Returns the offset of the payload of an RTP packet, encrypted or not; undefined if it is not RTP. */
export function headerEnd(bytes: Uint8Array): number | undefined {
  if (bytes.length < RTP_HEADER_BYTES || bytes[0]! >>> 6 !== 2) return undefined;
  let end = sourcesEnd(bytes[0]!);
  if (bytes[0]! & EXTENSION) {
    if (end + 4 > bytes.length) return undefined;
    end += 4 + 4 * readUint16(bytes, end + 2);
  }
  return end <= bytes.length ? end : undefined;
}

const sourcesEnd = (flags: number): number => RTP_HEADER_BYTES + (flags & SOURCES) * 4;

/** True if a packet on a port of RTP and RTCP is RTCP (RFC 5761 §4). */
export const isRtcp = (bytes: Uint8Array): boolean =>
  bytes.length >= RTCP_HEADER_BYTES && bytes[0]! >>> 6 === 2 && bytes[1]! >= 192 && bytes[1]! <= 223;
