/**
 * RTCP of one leg (RFC 3550 §6): local reports about the far side's stream, and its reports about the local stream. It
 * has no sockets and timers: `report` builds a packet, `receive` reads one. Packets that cannot be parsed are ignored.
 */
import { packets } from 'rtp.js';
import type { ReceiveStatistics } from './receive-statistics.ts';

/** §6.2: five seconds, randomised to 0.5–1.5 times that so that reports of many legs spread out. */
export const REPORT_INTERVAL_MS = 5000;
/** Seconds from 1900 to 1970 (§4). */
const NTP_EPOCH_S = 2_208_988_800;
const NTP_FRACTION = 2 ** 32;
const COMPACT_NTP_PER_MS = 65_536 / 1000;
/** Cumulative loss is a signed number of 24 bits. */
const MOST_LOST = 0x7fffff;
const LARGEST_PACKET = 1500;
const CNAME = 1;

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
  readonly #statistics: ReceiveStatistics;
  #far: FarReport | undefined;
  /** Middle 32 bits of the far side's latest NTP time, and the time of its arrival. */
  #lastReport: { compactNtp: number; atMs: number } | undefined;

  /** `name`: the canonical name (§6.5.1), without personal data. */
  constructor(ssrc: number, name: string, statistics: ReceiveStatistics) {
    this.#ssrc = ssrc;
    this.#name = name;
    this.#statistics = statistics;
  }

  get far(): FarReport | undefined {
    return this.#far;
  }

  /**
   * Builds a compound packet: a sender report, or a receiver report if no packets were sent, and the canonical name.
   * `nowMs`: since 1970.
   */
  report(sent: SentCounts, nowMs: number): Uint8Array {
    const compound = new packets.CompoundPacket();
    const report = sent.packets > 0 ? senderReport(sent, nowMs) : new packets.ReceiverReportPacket();
    report.setSsrc(this.#ssrc);
    for (const block of this.#reception(nowMs)) report.addReport(block);
    compound.addPacket(report);
    const chunk = new packets.SdesChunk();
    chunk.setSsrc(this.#ssrc);
    chunk.addItem(CNAME, this.#name);
    const description = new packets.SdesPacket();
    description.addChunk(chunk);
    compound.addPacket(description);
    compound.serialize();
    const view = compound.getView();
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  }

  receive(packet: Uint8Array, nowMs: number): void {
    if (packet.length > LARGEST_PACKET) return;
    try {
      const view = new DataView(packet.buffer, packet.byteOffset, packet.length);
      for (const one of new packets.CompoundPacket(view).getPackets()) this.#read(one, nowMs);
    } catch {
      // Untrusted input that cannot be parsed is ignored.
    }
  }

  #read(packet: packets.RtcpPacket, nowMs: number): void {
    const isFromSender = packet instanceof packets.SenderReportPacket;
    if (!isFromSender && !(packet instanceof packets.ReceiverReportPacket)) return;
    if (isFromSender) {
      const compactNtp = compactNtpOf(packet.getNtpSeconds(), packet.getNtpFraction());
      this.#lastReport = { compactNtp, atMs: nowMs };
    }
    const ours = packet.getReports().find((block) => block.getSsrc() === this.#ssrc);
    if (!ours) return;
    const roundTripMs =
      roundTrip(ours.getLastSRTimestamp(), ours.getDelaySinceLastSR(), nowMs) ?? this.#far?.roundTripMs;
    this.#far = {
      packetsLost: Math.max(0, ours.getTotalLost()),
      jitterTicks: ours.getJitter(),
      ...(roundTripMs === undefined ? {} : { roundTripMs }),
    };
  }

  #reception(nowMs: number): packets.ReceptionReport[] {
    const statistics = this.#statistics;
    if (statistics.ssrc === undefined) return [];
    const block = new packets.ReceptionReport();
    block.setSsrc(statistics.ssrc);
    block.setFractionLost(statistics.takeFractionLost());
    block.setTotalLost(Math.min(statistics.lost, MOST_LOST));
    block.setHighestSeqNumber(statistics.highestSequence);
    block.setJitter(statistics.jitterTicks);
    const last = this.#lastReport;
    if (last) {
      block.setLastSRTimestamp(last.compactNtp);
      block.setDelaySinceLastSR(Math.min(Math.round((nowMs - last.atMs) * COMPACT_NTP_PER_MS), 0xffffffff));
    }
    return [block];
  }
}

function senderReport(sent: SentCounts, nowMs: number): packets.SenderReportPacket {
  const report = new packets.SenderReportPacket();
  const { seconds, fraction } = ntpOf(nowMs);
  report.setNtpSeconds(seconds);
  report.setNtpFraction(fraction);
  report.setRtpTimestamp(sent.timestamp >>> 0);
  report.setPacketCount(sent.packets >>> 0);
  report.setOctetCount(sent.bytes >>> 0);
  return report;
}

function ntpOf(nowMs: number): { seconds: number; fraction: number } {
  const seconds = Math.floor(nowMs / 1000);
  const fraction = Math.floor(((nowMs - seconds * 1000) / 1000) * NTP_FRACTION);
  return { seconds: (seconds + NTP_EPOCH_S) >>> 0, fraction: fraction >>> 0 };
}

/** Middle 32 bits of an NTP time (§4). */
const compactNtpOf = (seconds: number, fraction: number): number =>
  ((seconds & 0xffff) * 65_536 + (fraction >>> 16)) >>> 0;

/** §6.4.1: now, minus the time of the local report, minus the delay at the far side. Implausible values are ignored. */
function roundTrip(lastReport: number, delay: number, nowMs: number): number | undefined {
  if (lastReport === 0) return undefined;
  const { seconds, fraction } = ntpOf(nowMs);
  const ticks = (compactNtpOf(seconds, fraction) - lastReport - delay) | 0;
  return ticks < 0 || ticks > 60 * 65_536 ? undefined : ticks / COMPACT_NTP_PER_MS;
}
