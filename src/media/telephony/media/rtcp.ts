/**
 * RTCP of one leg (RFC 3550 §6): local reports about the far side's stream, and its reports about the local stream. It
 * has no sockets and timers: `report` builds a packet, `receive` reads one. Packets that cannot be parsed are ignored.
 */
import type { Reception } from '../../toolbox/rtp/reception.ts';
import {
  middleOf,
  middleToMs,
  ntpOf,
  type ReportBlock,
  readReportBlocks,
  readSenderReport,
  rtcpParts,
  writeDescription,
  writeReceiverReport,
  writeSenderReport,
} from '../../toolbox/rtp/rtcp.ts';

/** §6.2: five seconds, randomised to 0.5–1.5 times that so that reports of many legs spread out. */
export const REPORT_INTERVAL_MS = 5000;
const MAX_PACKET = 1500;
/** A longer round trip is a clock that was set. */
const MAX_ROUND_TRIP_MS = 60_000;

export interface SentCounts {
  packets: number;
  /** Payload bytes. */
  bytes: number;
  /** RTP timestamp of this moment. */
  timestamp: number;
}

/** Latest report of the far side about the local stream. */
export interface FarReport {
  packetsLost: number;
  jitterTicks: number;
  roundTripMs?: number;
}

export class Rtcp {
  readonly #ssrc: number;
  readonly #name: string;
  readonly #reception: Reception;
  #far: FarReport | undefined;

  /** `name`: the canonical name (§6.5.1), without personal data. */
  constructor(ssrc: number, name: string, reception: Reception) {
    this.#ssrc = ssrc;
    this.#name = name;
    this.#reception = reception;
  }

  get far(): FarReport | undefined {
    return this.#far;
  }

  /**
   * Builds a compound packet: a sender report, or a receiver report if no packets were sent, and the canonical name.
   * `nowMs`: since 1970.
   */
  report({ packets, bytes: octets, timestamp }: SentCounts, nowMs: number): Uint8Array {
    const block = this.#reception.block(nowMs);
    const blocks = block ? [block] : [];
    const report =
      packets > 0
        ? writeSenderReport(this.#ssrc, { ...ntpOf(nowMs), timestamp, packets, octets }, blocks)
        : writeReceiverReport(this.#ssrc, blocks);
    return Buffer.concat([report, writeDescription(this.#ssrc, this.#name)]);
  }

  receive(packet: Uint8Array, nowMs: number): void {
    if (packet.length > MAX_PACKET) return;
    for (const part of rtcpParts(packet)) {
      const clock = readSenderReport(part);
      if (clock) this.#reception.senderReported(clock, nowMs);
      const block = readReportBlocks(part).find(({ ssrc }) => ssrc === this.#ssrc);
      if (block) this.#onReported(block, nowMs);
    }
  }

  #onReported(block: ReportBlock, nowMs: number): void {
    const roundTripMs = roundTrip(block, nowMs) ?? this.#far?.roundTripMs;
    this.#far = {
      packetsLost: Math.max(0, block.lost),
      jitterTicks: block.jitter,
      ...(roundTripMs === undefined ? {} : { roundTripMs }),
    };
  }
}

/** §6.4.1: now, minus the time of the local report, minus the delay at the far side. Implausible values are ignored. */
function roundTrip({ lastReport, sinceLastReport }: ReportBlock, nowMs: number): number | undefined {
  if (lastReport === 0) return undefined;
  const ms = middleToMs((middleOf(ntpOf(nowMs)) - lastReport - sinceLastReport) | 0);
  return ms < 0 || ms > MAX_ROUND_TRIP_MS ? undefined : ms;
}
