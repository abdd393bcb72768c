/**
 * Feedback by RTCP (RFC 4585, RFC 5104) and receiver bandwidth estimates (REMB): requests for packets and key frames,
 * and limits of a rate. The input is untrusted.
 */
import { readUint16, readUint32, writeUint16, writeUint32 } from './bytes.ts';
import { partOf, type RtcpPart } from './rtcp.ts';

const TRANSPORT_FEEDBACK = 205;
const PAYLOAD_FEEDBACK = 206;
/** Feedback message types (FMT). */
const NACK = 1;
const PICTURE_LOSS = 1;
const FULL_INTRA_REQUEST = 4;
/** Application layer feedback (RFC 4585 §6.4). */
const REMB = 15;
/** Its unique identifier: the text "REMB". */
const REMB_NAME = 0x52454d42;

const HEADER_BYTES = 12;
/** Maximum number of packets in one NACK that is read. */
const MAX_MISSING = 500;
/** Packets after the first one of an entry, one bit each. */
const FOLLOWING = 16;
const MAX_MANTISSA = 0x3ffff;

/** Reads a request for packets; undefined if it is none. `ssrc`: of the stream. */
export function readNack({ type, count, bytes }: RtcpPart): { ssrc: number; sequences: number[] } | undefined {
  if (type !== TRANSPORT_FEEDBACK || count !== NACK || bytes.length < HEADER_BYTES) return undefined;
  const sequences: number[] = [];
  for (let at = HEADER_BYTES; at + 4 <= bytes.length && sequences.length < MAX_MISSING; at += 4) {
    const first = readUint16(bytes, at);
    const following = readUint16(bytes, at + 2);
    sequences.push(first);
    for (let bit = 0; bit < FOLLOWING; bit++) if (following & (1 << bit)) sequences.push((first + bit + 1) & 0xffff);
  }
  return { ssrc: readUint32(bytes, 8), sequences };
}

/** Requests packets; `sequences` must ascend. */
export function writeNack(from: number, to: number, sequences: readonly number[]): Buffer {
  const entries: { first: number; following: number }[] = [];
  for (const sequence of sequences) {
    const last = entries.at(-1);
    const distance = last ? (sequence - last.first) & 0xffff : 0;
    if (last && distance > 0 && distance <= FOLLOWING) last.following |= 1 << (distance - 1);
    else entries.push({ first: sequence, following: 0 });
  }
  const bytes = feedback(TRANSPORT_FEEDBACK, NACK, from, to, entries.length * 4);
  for (const [nth, { first, following }] of entries.entries()) {
    writeUint16(bytes, HEADER_BYTES + nth * 4, first);
    writeUint16(bytes, HEADER_BYTES + nth * 4 + 2, following);
  }
  return bytes;
}

/** SSRC of the stream of which a key frame is requested; undefined if none is. */
export function readKeyFrameRequest({ type, count, bytes }: RtcpPart): number | undefined {
  if (type !== PAYLOAD_FEEDBACK) return undefined;
  if (count === PICTURE_LOSS && bytes.length >= HEADER_BYTES) return readUint32(bytes, 8);
  // FIR: the target SSRC is in the entry after the header.
  if (count === FULL_INTRA_REQUEST && bytes.length >= HEADER_BYTES + 8) return readUint32(bytes, HEADER_BYTES);
  return undefined;
}

/** Requests a key frame. */
export const writePictureLoss = (from: number, to: number): Buffer =>
  feedback(PAYLOAD_FEEDBACK, PICTURE_LOSS, from, to, 0);

/** Reads a limit in bit/s; undefined if it is not a REMB. */
export function readBandwidth({ type, count, bytes }: RtcpPart): number | undefined {
  if (type !== PAYLOAD_FEEDBACK || count !== REMB || bytes.length < HEADER_BYTES + 8) return undefined;
  if (readUint32(bytes, HEADER_BYTES) !== REMB_NAME) return undefined;
  return (((bytes[17]! & 3) << 16) | readUint16(bytes, 18)) * 2 ** (bytes[17]! >> 2);
}

/** Limits the rate of a sender. */
export function writeBandwidth(from: number, bitsPerSecond: number, ssrcs: readonly number[]): Buffer {
  let mantissa = Math.floor(bitsPerSecond);
  let exponent = 0;
  for (; mantissa > MAX_MANTISSA; exponent++) mantissa = Math.floor(mantissa / 2);
  const bytes = feedback(PAYLOAD_FEEDBACK, REMB, from, 0, 8 + ssrcs.length * 4);
  writeUint32(bytes, HEADER_BYTES, REMB_NAME);
  bytes[16] = ssrcs.length;
  bytes[17] = (exponent << 2) | (mantissa >> 16);
  writeUint16(bytes, 18, mantissa);
  for (const [nth, ssrc] of ssrcs.entries()) writeUint32(bytes, 20 + nth * 4, ssrc);
  return bytes;
}

function feedback(type: number, format: number, from: number, to: number, length: number): Buffer {
  const bytes = partOf(type, format, HEADER_BYTES + length, from);
  writeUint32(bytes, 8, to);
  return bytes;
}
