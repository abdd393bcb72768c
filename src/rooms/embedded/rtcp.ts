/** RTCP (RFC 3550, RFC 4585) and receiver bandwidth estimates (REMB): reading and writing of what forwarding needs. */

export const SENDER_REPORT = 200;
export const RECEIVER_REPORT = 201;
export const TRANSPORT_FEEDBACK = 205;
export const PAYLOAD_FEEDBACK = 206;
/** Feedback message types (FMT). */
export const NACK = 1;
export const PICTURE_LOSS = 1;
export const FULL_INTRA_REQUEST = 4;

const REMB = 15;
const NTP_MIDDLE = 65_536;
const BLOCK_BYTES = 24;
/** Maximum number of report blocks in one report. */
const MAX_BLOCKS = 31;
/** Maximum number of packets in one NACK that is read. */
const MOST_MISSING = 500;
const MAX_MANTISSA = 0x3ffff;

export interface RtcpPart {
  type: number;
  /** Feedback: its message type (FMT). Reports: the number of blocks. */
  count: number;
  bytes: Buffer;
}

export interface SenderClock {
  ntpSeconds: number;
  ntpFraction: number;
  timestamp: number;
}

export interface ReceptionBlock {
  ssrc: number;
  /** 0 to 1, since the previous report. */
  lostShare: number;
  lost: number;
  highest: number;
  jitter: number;
  lastReport: number;
  /** In 1/65536 s. */
  sinceLastReport: number;
}

/** Complete packets of a compound packet. */
export function rtcpParts(bytes: Buffer): RtcpPart[] {
  const parts: RtcpPart[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = (bytes.readUInt16BE(at + 2) + 1) * 4;
    if (at + length > bytes.length) break;
    parts.push({ type: bytes[at + 1]!, count: bytes[at]! & 0x1f, bytes: bytes.subarray(at, at + length) });
    at += length;
  }
  return parts;
}

export function readSenderReport({ bytes }: RtcpPart): ({ ssrc: number } & SenderClock) | undefined {
  if (bytes.length < 28) return undefined;
  return {
    ssrc: bytes.readUInt32BE(4),
    ntpSeconds: bytes.readUInt32BE(8),
    ntpFraction: bytes.readUInt32BE(12),
    timestamp: bytes.readUInt32BE(16),
  };
}

export type Reception = Pick<
  ReceptionBlock,
  'ssrc' | 'lostShare' | 'lost' | 'highest' | 'lastReport' | 'sinceLastReport'
>;

/** Reads loss and the echo of the last sender report for each stream. */
export function readReception({ type, count, bytes }: RtcpPart): Reception[] {
  const first = type === SENDER_REPORT ? 28 : 8;
  const blocks: Reception[] = [];
  for (let index = 0; index < count && first + (index + 1) * BLOCK_BYTES <= bytes.length; index++) {
    const at = first + index * BLOCK_BYTES;
    blocks.push({
      ssrc: bytes.readUInt32BE(at),
      lostShare: bytes[at + 4]! / 256,
      lost: bytes.readIntBE(at + 5, 3),
      highest: bytes.readUInt32BE(at + 8),
      lastReport: bytes.readUInt32BE(at + 16),
      sinceLastReport: bytes.readUInt32BE(at + 20),
    });
  }
  return blocks;
}

/** SSRC of the stream that the feedback is about. */
export const mediaSsrcOf = ({ bytes }: RtcpPart): number | undefined =>
  bytes.length >= 12 ? bytes.readUInt32BE(8) : undefined;

function feedback(type: number, format: number, from: number, to: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(12 + body.length);
  bytes[0] = 0x80 | format;
  bytes[1] = type;
  bytes.writeUInt16BE(bytes.length / 4 - 1, 2);
  bytes.writeUInt32BE(from, 4);
  bytes.writeUInt32BE(to, 8);
  body.copy(bytes, 12);
  return bytes;
}

export const pictureLoss = (from: number, to: number): Buffer => feedback(PAYLOAD_FEEDBACK, PICTURE_LOSS, from, to);

/** Writes a NACK; `sequences` must ascend. */
export function nack(from: number, to: number, sequences: readonly number[]): Buffer {
  const pairs: { first: number; following: number }[] = [];
  for (const sequence of sequences) {
    const last = pairs.at(-1);
    const distance = last ? (sequence - last.first) & 0xffff : 0;
    if (last && distance > 0 && distance <= 16) last.following |= 1 << (distance - 1);
    else pairs.push({ first: sequence, following: 0 });
  }
  const body = Buffer.alloc(pairs.length * 4);
  for (const [index, { first, following }] of pairs.entries()) {
    body.writeUInt16BE(first, index * 4);
    body.writeUInt16BE(following & 0xffff, index * 4 + 2);
  }
  return feedback(TRANSPORT_FEEDBACK, NACK, from, to, body);
}

/** Reads the sequence numbers that a NACK requests. */
export function readNack({ bytes }: RtcpPart): number[] {
  const sequences: number[] = [];
  for (let at = 12; at + 4 <= bytes.length && sequences.length < MOST_MISSING; at += 4) {
    const first = bytes.readUInt16BE(at);
    const following = bytes.readUInt16BE(at + 2);
    sequences.push(first);
    for (let bit = 0; bit < 16; bit++) if ((following & (1 << bit)) !== 0) sequences.push((first + bit + 1) & 0xffff);
  }
  return sequences;
}

/** Writes a REMB, which limits the rate of a sender. */
export function bandwidthEstimate(from: number, bitsPerSecond: number, ssrcs: readonly number[]): Buffer {
  let mantissa = Math.floor(bitsPerSecond);
  let exponent = 0;
  for (; mantissa > MAX_MANTISSA; exponent++) mantissa = Math.floor(mantissa / 2);
  const body = Buffer.alloc(8 + ssrcs.length * 4);
  body.write('REMB', 0, 'latin1');
  body[4] = ssrcs.length;
  body[5] = (exponent << 2) | (mantissa >> 16);
  body.writeUInt16BE(mantissa & 0xffff, 6);
  for (const [index, ssrc] of ssrcs.entries()) body.writeUInt32BE(ssrc, 8 + index * 4);
  return feedback(PAYLOAD_FEEDBACK, REMB, from, 0, body);
}

/** Undefined if it is not a REMB. */
export function readBandwidth({ type, count, bytes }: RtcpPart): number | undefined {
  if (type !== PAYLOAD_FEEDBACK || count !== REMB || bytes.length < 20) return undefined;
  if (bytes.toString('latin1', 12, 16) !== 'REMB') return undefined;
  return (((bytes[17]! & 3) << 16) | bytes.readUInt16BE(18)) * 2 ** (bytes[17]! >> 2);
}

export function receiverReport(from: number, all: readonly ReceptionBlock[]): Buffer {
  const blocks = all.slice(0, MAX_BLOCKS);
  const bytes = Buffer.alloc(8 + blocks.length * BLOCK_BYTES);
  bytes[0] = 0x80 | blocks.length;
  bytes[1] = RECEIVER_REPORT;
  bytes.writeUInt16BE(bytes.length / 4 - 1, 2);
  bytes.writeUInt32BE(from, 4);
  for (const [index, block] of blocks.entries()) {
    const at = 8 + index * BLOCK_BYTES;
    bytes.writeUInt32BE(block.ssrc, at);
    bytes[at + 4] = Math.min(255, Math.round(block.lostShare * 256));
    bytes.writeUIntBE(Math.min(0x7fffff, Math.max(0, block.lost)), at + 5, 3);
    bytes.writeUInt32BE(block.highest >>> 0, at + 8);
    bytes.writeUInt32BE(Math.round(block.jitter) >>> 0, at + 12);
    bytes.writeUInt32BE(block.lastReport >>> 0, at + 16);
    bytes.writeUInt32BE(block.sinceLastReport >>> 0, at + 20);
  }
  return bytes;
}

export function senderReport(ssrc: number, clock: SenderClock, packets: number, octets: number): Buffer {
  const bytes = Buffer.alloc(28);
  bytes[0] = 0x80;
  bytes[1] = SENDER_REPORT;
  bytes.writeUInt16BE(6, 2);
  bytes.writeUInt32BE(ssrc, 4);
  bytes.writeUInt32BE(clock.ntpSeconds, 8);
  bytes.writeUInt32BE(clock.ntpFraction, 12);
  bytes.writeUInt32BE(clock.timestamp >>> 0, 16);
  bytes.writeUInt32BE(packets >>> 0, 20);
  bytes.writeUInt32BE(octets >>> 0, 24);
  return bytes;
}

/** Middle 32 bits of an NTP timestamp, as receivers echo them. */
export const middleOf = ({ ntpSeconds, ntpFraction }: SenderClock): number =>
  (ntpSeconds & 0xffff) * NTP_MIDDLE + (ntpFraction >>> 16);
