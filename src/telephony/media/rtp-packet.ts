/** RTP fixed header (RFC 3550 §5.1): written by hand into a reused buffer, read without copying. */
import type { G711Codec } from '../../core/g711.ts';
import { readUint16, readUint32, writeUint32 } from '../../media/rtp/bytes.ts';

export const RTP_HEADER_BYTES = 12;
const VERSION_BITS = 0x80;

export interface RtpHeader {
  payloadType: number;
  marker: boolean;
  sequence: number;
  timestamp: number;
  ssrc: number;
}

export interface RtpView extends RtpHeader {
  payloadStart: number;
  payloadEnd: number;
}

/** Audio of one packet, in the buffer in which it arrived or is sent. */
export interface AudioPacket extends Omit<RtpView, 'payloadType'> {
  codec: G711Codec;
  payload: Uint8Array;
}

export function writeRtpHeader(packet: Uint8Array, header: RtpHeader): void {
  const { payloadType, marker, sequence, timestamp, ssrc } = header;
  packet[0] = VERSION_BITS;
  packet[1] = (marker ? 0x80 : 0) | payloadType;
  packet[2] = sequence >>> 8;
  packet[3] = sequence;
  writeUint32(packet, 4, timestamp);
  writeUint32(packet, 8, ssrc);
}

/**
 * Reads header, contributing sources, extension and padding. Returns undefined if the packet is not RTP, or if its
 * lengths are inconsistent. RTCP multiplexed onto this port (payload types 64–95, RFC 5761 §4) is not RTP either.
 */
export function readRtp(packet: Uint8Array): RtpView | undefined {
  const length = packet.length;
  const payloadStart = headerEnd(packet);
  if (payloadStart === undefined) return undefined;
  const flags = packet[0]!;
  const payloadType = packet[1]! & 0x7f;
  if (payloadType >= 64 && payloadType <= 95) return undefined;
  const padding = flags & 0x20 ? packet[length - 1]! : 0;
  const payloadEnd = length - padding;
  if (payloadStart > payloadEnd || (flags & 0x20 && padding === 0)) return undefined;
  return {
    payloadType,
    marker: (packet[1]! & 0x80) !== 0,
    sequence: readUint16(packet, 2),
    timestamp: readUint32(packet, 4),
    ssrc: readUint32(packet, 8),
    payloadStart,
    payloadEnd,
  };
}

/** Returns the offset of the payload of an RTP packet, encrypted or not; undefined if it is not RTP. */
export function headerEnd(packet: Uint8Array): number | undefined {
  if (packet.length < RTP_HEADER_BYTES || packet[0]! >>> 6 !== 2) return undefined;
  let end = RTP_HEADER_BYTES + (packet[0]! & 0x0f) * 4;
  if (packet[0]! & 0x10) {
    if (end + 4 > packet.length) return undefined;
    end += 4 + 4 * readUint16(packet, end + 2);
  }
  return end <= packet.length ? end : undefined;
}
