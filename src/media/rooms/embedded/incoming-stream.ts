/**
 * One received stream: a microphone, or one layer of a video source. It detects missing packets and requests them
 * (NACK), keeps recent packets for retransmission to subscribers, and computes the figures of receiver reports.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { RtpPacket } from '../../toolbox/rtp/packet.ts';
import { Reception } from '../../toolbox/rtp/reception.ts';
import type { ReportBlock, SenderClock } from '../../toolbox/rtp/rtcp.ts';
import { writeNack } from '../../toolbox/rtp/rtcp-feedback.ts';
import { isNewer } from '../../toolbox/rtp/sequence.ts';
import { MissingPackets } from './missing-packets.ts';
import type { PictureDescriptor } from './picture-descriptor.ts';
import { RateMeter } from './rate-meter.ts';
import type { MediaKind } from './sdp.ts';

/** Packet that is kept for retransmission. */
export interface KeptPacket extends RtpPacket<Buffer> {
  picture?: PictureDescriptor;
  atMs: number;
}

/** SSRC of this engine as sender of feedback. */
export const OWN_SSRC = 1;
/** RTP clock ticks per millisecond. */
export const TICKS_PER_MS: Readonly<Record<MediaKind, number>> = { video: 90, audio: 48 };

/**
 * Time for which a retransmission is useful: late audio is not played any more; video frames wait longer for missing
 * packets.
 */
const KEPT_MS: Readonly<Record<MediaKind, number>> = { audio: 1000, video: 2000 };
/** Upper bound, whatever the packet rate. */
const MAX_KEPT = 512;
/** A larger gap means that the sender restarted its sequence. */
const MAX_HOLE = 200;
const MAX_ASKED = 60;
const ALIVE_MS = 1500;

export class IncomingStream {
  readonly ssrc: number;
  /** Id of the simulcast layer. */
  readonly rid: string | undefined;
  readonly #kind: MediaKind;
  readonly #clock: Clock;
  /** Kept packets by sequence number, in order of arrival. */
  readonly #kept = new Map<number, KeptPacket>();
  readonly #missing: MissingPackets;
  readonly #reception: Reception;
  /** Sequence number of the newest packet; -1 before the first. */
  #highest = -1;
  #octets = 0;
  #lastMs = Number.NEGATIVE_INFINITY;
  readonly #rate = new RateMeter();
  #sampled = { expected: 0, received: 0, octets: 0 };
  #sender: SenderClock | undefined;
  keyAskedMs = Number.NEGATIVE_INFINITY;
  /** Frame size in pixels; 0 if not known. */
  pixels = 0;

  constructor(options: { ssrc: number; rid: string | undefined; kind: MediaKind; clock: Clock }) {
    this.ssrc = options.ssrc;
    this.rid = options.rid;
    this.#kind = options.kind;
    this.#missing = new MissingPackets(options.kind);
    this.#reception = new Reception(TICKS_PER_MS[options.kind]);
    this.#clock = options.clock;
  }

  /** From the last sender report. */
  get sender(): SenderClock | undefined {
    return this.#sender;
  }

  get hasHoles(): boolean {
    return this.#missing.size > 0;
  }

  /** Time of the last packet. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** True if a packet arrived within `withinMs`. */
  isAlive(nowMs: number, withinMs = ALIVE_MS): boolean {
    return nowMs - this.#lastMs < withinMs;
  }

  bitsPerSecond(nowMs: number): number {
    return this.#rate.bitsPerSecond(nowMs);
  }

  /** Accepts a packet. False if it is a duplicate, or far too late. */
  accept(packet: KeptPacket): boolean {
    const { sequence, atMs } = packet;
    const isLatest = this.#highest < 0 || isNewer(sequence, this.#highest);
    if (isLatest) {
      if (this.#highest >= 0) this.#recordGap(sequence, atMs);
      this.#highest = sequence;
    } else if (!this.#missing.arrived(sequence, atMs)) return false;
    this.#reception.packet(packet, atMs);
    if (packet.picture?.size) this.pixels = packet.picture.size.width * packet.picture.size.height;
    this.#lastMs = atMs;
    this.#octets += packet.bytes.length;
    this.#rate.add(packet.bytes.length, atMs);
    this.#keep(packet);
    return true;
  }

  /**
   * Skips a packet that the process has no time for: it counts as lost. Neither it nor packets that are missing before
   * it are requested.
   */
  skip(packet: RtpPacket<Buffer>): void {
    this.#missing.clear();
    if (this.#highest < 0 || !isNewer(packet.sequence, this.#highest)) return;
    this.#reception.skip(packet);
    this.#highest = packet.sequence;
  }

  #keep(packet: KeptPacket): void {
    this.#kept.set(packet.sequence, packet);
    const oldestMs = packet.atMs - KEPT_MS[this.#kind];
    for (const [sequence, { atMs }] of this.#kept) {
      if (atMs >= oldestMs && this.#kept.size <= MAX_KEPT) break;
      this.#kept.delete(sequence);
    }
  }

  #recordGap(sequence: number, nowMs: number): void {
    const distance = (sequence - this.#highest) & 0xffff;
    if (distance >= MAX_HOLE) {
      this.#missing.clear();
      return;
    }
    for (let step = 1; step < distance; step++) {
      this.#missing.add((this.#highest + step) & 0xffff, nowMs);
    }
  }

  /** Returns a kept packet, to retransmit it to a subscriber. */
  kept(sequence: number): KeptPacket | undefined {
    return this.#kept.get(sequence);
  }

  /** Requests the packets that are missing now. True if a video frame has waited too long for one of them. */
  askMissing(send: (feedback: Buffer) => void): boolean {
    const isOut = (sequence: number): boolean => ((this.#highest - sequence) & 0xffff) > MAX_KEPT - 50;
    const { asked, isStale } = this.#missing.due(this.#clock.monotonicMs(), isOut);
    for (let at = 0; at < asked.length; at += MAX_ASKED) {
      send(writeNack(OWN_SSRC, this.ssrc, asked.slice(at, at + MAX_ASKED)));
    }
    return isStale;
  }

  /** The sender sent a report. */
  senderReported(clock: SenderClock): void {
    this.#sender = clock;
    this.#reception.senderReported(clock, this.#clock.monotonicMs());
  }

  /** Undefined if no packet has arrived yet. */
  report(): ReportBlock | undefined {
    return this.#reception.block(this.#clock.monotonicMs());
  }

  /** Octets of all received packets. */
  get octets(): number {
    return this.#octets;
  }

  /** Octets and packets since the previous sample. `isWhole` is false if the stream started since then. */
  sample(): { octets: number; expected: number; lost: number; isWhole: boolean } {
    const { expected, received } = this.#reception;
    const before = this.#sampled;
    const isWhole = before.expected > 0;
    this.#sampled = { expected, received, octets: this.#octets };
    const expectedNow = expected - before.expected;
    const lost = Math.max(0, expectedNow - (received - before.received));
    return { octets: this.#octets - before.octets, expected: expectedNow, lost, isWhole };
  }

  /** Converts an RTP timestamp to ms on the sender's clock. Undefined until the first sender report. */
  senderMs(timestamp: number): number | undefined {
    if (!this.sender) return undefined;
    const { ntpSeconds, ntpFraction, timestamp: at } = this.sender;
    return ntpSeconds * 1000 + ntpFraction / 4_294_967.296 + ((timestamp - at) | 0) / TICKS_PER_MS[this.#kind];
  }
}
