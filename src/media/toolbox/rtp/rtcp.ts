/**
 * RTCP reports (RFC 3550 §6): reading and writing of the parts of compound packets. The input is untrusted: parts that
 * are cut or inconsistent are ignored.
 */
import { readUint16, readUint32, writeUint16, writeUint32 } from './bytes.ts';

export const SENDER_REPORT = 200;
export const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;

const VERSION_BITS = 0x80;
const COUNT = 0x1f;
const HEADER_BYTES = 8;
const SENDER_INFO_BYTES = 20;
const BLOCK_BYTES = 24;
/** Maximum number of report blocks in one report. */
const MAX_BLOCKS = 31;
/** Cumulative loss is a signed number of 24 bits. */
const MAX_LOST = 0x7fffff;
/** Item of a source description (§6.5.1). */
const CNAME = 1;
/** Seconds from 1900 to 1970 (§4). */
const NTP_EPOCH_S = 2_208_988_800;
const NTP_FRACTION = 2 ** 32;
/** Ticks of the middle 32 bits of an NTP time in a millisecond. */
const MIDDLE_NTP_PER_MS = 65_536 / 1000;

/** One packet of a compound packet. */
export interface RtcpPart {
  type: number;
  /** Feedback: its message type (FMT). Reports: the number of blocks. */
  count: number;
  bytes: Uint8Array;
}

/** Relation of the wall clock of a sender to its RTP clock. */
export interface SenderClock {
  ntpSeconds: number;
  /** In 2^-32 s. */
  ntpFraction: number;
  timestamp: number;
}

export interface SenderInfo extends SenderClock {
  packets: number;
  /** Octets of payload. */
  octets: number;
}

/** Reception of one stream (§6.4.1). */
export interface ReportBlock {
  ssrc: number;
  /** Since the previous report, in 256ths. */
  fractionLost: number;
  /** Since the start of the stream. */
  lost: number;
  /** Highest sequence number, with its cycles. */
  highest: number;
  /** In ticks of the RTP clock. */
  jitter: number;
  /** Middle 32 bits of the NTP time of the last sender report; 0 before it. */
  lastReport: number;
  /** In 1/65536 s. */
  sinceLastReport: number;
}

/** Complete parts of a compound packet, up to the first one that is not RTCP. */
export function rtcpParts(bytes: Uint8Array): RtcpPart[] {
  const parts: RtcpPart[] = [];
  for (let at = 0; at + 4 <= bytes.length && bytes[at]! >>> 6 === 2; ) {
    const length = (readUint16(bytes, at + 2) + 1) * 4;
    if (at + length > bytes.length) break;
    parts.push({ type: bytes[at + 1]!, count: bytes[at]! & COUNT, bytes: bytes.subarray(at, at + length) });
    at += length;
  }
  return parts;
}

/** Undefined if it is not a sender report. */
export function readSenderReport({ type, bytes }: RtcpPart): ({ ssrc: number } & SenderClock) | undefined {
  if (type !== SENDER_REPORT || bytes.length < HEADER_BYTES + SENDER_INFO_BYTES) return undefined;
  return {
    ssrc: readUint32(bytes, 4),
    ntpSeconds: readUint32(bytes, 8),
    ntpFraction: readUint32(bytes, 12),
    timestamp: readUint32(bytes, 16),
  };
}

/** Blocks of a sender or receiver report; none of other parts. */
export function readReportBlocks({ type, count, bytes }: RtcpPart): ReportBlock[] {
  if (type !== SENDER_REPORT && type !== RECEIVER_REPORT) return [];
  const first = type === SENDER_REPORT ? HEADER_BYTES + SENDER_INFO_BYTES : HEADER_BYTES;
  const blocks: ReportBlock[] = [];
  for (let at = first; blocks.length < count && at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) {
    blocks.push({
      ssrc: readUint32(bytes, at),
      fractionLost: bytes[at + 4]!,
      // Signed: duplicates may exceed the loss.
      lost: (readUint32(bytes, at + 4) << 8) >> 8,
      highest: readUint32(bytes, at + 8),
      jitter: readUint32(bytes, at + 12),
      lastReport: readUint32(bytes, at + 16),
      sinceLastReport: readUint32(bytes, at + 20),
    });
  }
  return blocks;
}

export function writeSenderReport(ssrc: number, sender: SenderInfo, blocks: readonly ReportBlock[] = []): Buffer {
  const bytes = reportOf(SENDER_REPORT, ssrc, HEADER_BYTES + SENDER_INFO_BYTES, blocks);
  writeUint32(bytes, 8, sender.ntpSeconds);
  writeUint32(bytes, 12, sender.ntpFraction);
  writeUint32(bytes, 16, sender.timestamp);
  writeUint32(bytes, 20, sender.packets);
  writeUint32(bytes, 24, sender.octets);
  return bytes;
}

export const writeReceiverReport = (ssrc: number, blocks: readonly ReportBlock[]): Buffer =>
  reportOf(RECEIVER_REPORT, ssrc, HEADER_BYTES, blocks);

function reportOf(type: number, ssrc: number, firstBlock: number, all: readonly ReportBlock[]): Buffer {
  const blocks = all.slice(0, MAX_BLOCKS);
  const bytes = partOf(type, blocks.length, firstBlock + blocks.length * BLOCK_BYTES, ssrc);
  for (const [nth, block] of blocks.entries()) writeBlock(bytes, firstBlock + nth * BLOCK_BYTES, block);
  return bytes;
}

function writeBlock(bytes: Uint8Array, at: number, block: ReportBlock): void {
  writeUint32(bytes, at, block.ssrc);
  writeUint32(bytes, at + 4, Math.min(MAX_LOST, Math.max(0, block.lost)));
  bytes[at + 4] = block.fractionLost;
  writeUint32(bytes, at + 8, block.highest);
  writeUint32(bytes, at + 12, block.jitter);
  writeUint32(bytes, at + 16, block.lastReport);
  writeUint32(bytes, at + 20, block.sinceLastReport);
}

/** Source description with the canonical name alone (§6.5). `name`: at most 255 bytes. */
export function writeDescription(ssrc: number, name: string): Buffer {
  const text = Buffer.from(name, 'utf8');
  // The list of items ends with one to four zero bytes.
  const itemBytes = 2 + text.length;
  const bytes = partOf(SOURCE_DESCRIPTION, 1, HEADER_BYTES + itemBytes + (4 - (itemBytes % 4)), ssrc);
  bytes[HEADER_BYTES] = CNAME;
  bytes[HEADER_BYTES + 1] = text.length;
  text.copy(bytes, HEADER_BYTES + 2);
  return bytes;
}

/** Part with its header and the SSRC of its sender. `length`: in bytes, a multiple of four. */
export function partOf(type: number, count: number, length: number, ssrc: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes[0] = VERSION_BITS | count;
  bytes[1] = type;
  writeUint16(bytes, 2, length / 4 - 1);
  writeUint32(bytes, 4, ssrc);
  return bytes;
}

/** `nowMs`: since 1970. */
export function ntpOf(nowMs: number): Pick<SenderClock, 'ntpSeconds' | 'ntpFraction'> {
  const seconds = Math.floor(nowMs / 1000);
  const fraction = Math.floor(((nowMs - seconds * 1000) / 1000) * NTP_FRACTION);
  return { ntpSeconds: (seconds + NTP_EPOCH_S) >>> 0, ntpFraction: fraction >>> 0 };
}

/** Middle 32 bits of an NTP time (§4), as receivers echo it. */
export const middleOf = ({ ntpSeconds, ntpFraction }: Pick<SenderClock, 'ntpSeconds' | 'ntpFraction'>): number =>
  (((ntpSeconds & 0xffff) << 16) | (ntpFraction >>> 16)) >>> 0;

/** Difference of two middle NTP times, in ms. */
export const middleToMs = (ticks: number): number => ticks / MIDDLE_NTP_PER_MS;

/** Milliseconds as a difference of middle NTP times: at most 18 hours. */
export const msToMiddle = (ms: number): number => Math.max(0, Math.min(Math.round(ms * MIDDLE_NTP_PER_MS), 0xffffffff));
