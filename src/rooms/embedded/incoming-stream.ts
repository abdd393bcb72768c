/**
 * One received stream: a microphone, or one layer of a video source. It detects missing packets and requests them
 * (NACK), keeps recent packets for retransmission to subscribers, and computes the figures of receiver reports.
 */
import type { Clock } from '../../core/clock.ts';
import type { RtpPacket } from '../../media/rtp/packet.ts';
import { isNewer } from '../../media/rtp/sequence.ts';
import { MissingPackets } from './missing-packets.ts';
import type { PictureDescriptor } from './picture-descriptor.ts';
import { RateMeter } from './rate-meter.ts';
import { middleOf, nack, type ReceptionBlock, type SenderClock } from './rtcp.ts';
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
const MOST_KEPT = 512;
/** A larger gap means that the sender restarted its sequence. */
const LARGEST_HOLE = 200;
const MOST_ASKED = 60;
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
  #highest = -1;
  #cycles = 0;
  #first = 0;
  #packets = 0;
  #octets = 0;
  #jitter = 0;
  #lastTransit: number | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  readonly #rate = new RateMeter();
  #before = { expected: 0, packets: 0 };
  #sampled = { expected: 0, packets: 0, octets: 0 };
  /** From the last sender report. */
  sender: (SenderClock & { atMs: number }) | undefined;
  keyAskedMs = Number.NEGATIVE_INFINITY;
  /** Frame size in pixels; 0 if not known. */
  pixels = 0;

  constructor(options: { ssrc: number; rid: string | undefined; kind: MediaKind; clock: Clock }) {
    this.ssrc = options.ssrc;
    this.rid = options.rid;
    this.#kind = options.kind;
    this.#missing = new MissingPackets(options.kind);
    this.#clock = options.clock;
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
  take(packet: KeptPacket): boolean {
    const { sequence, atMs } = packet;
    if (this.#highest < 0) this.#first = sequence;
    else if (isNewer(sequence, this.#highest)) this.#noteHole(sequence, atMs);
    else if (!this.#missing.arrived(sequence, atMs)) return false;
    if (this.#highest < 0 || isNewer(sequence, this.#highest)) {
      if (this.#highest >= 0 && sequence < this.#highest) this.#cycles++;
      this.#highest = sequence;
      this.#noteJitter(packet);
    }
    if (packet.picture?.size) this.pixels = packet.picture.size.width * packet.picture.size.height;
    this.#lastMs = atMs;
    this.#packets++;
    this.#octets += packet.bytes.length;
    this.#rate.add(packet.bytes.length, atMs);
    this.#keep(packet);
    return true;
  }

  /**
   * Skips a packet that the process has no time for: it counts as lost. Neither it nor packets that are missing before
   * it are requested.
   */
  skip({ sequence }: RtpPacket<Buffer>): void {
    this.#missing.clear();
    if (this.#highest < 0 || !isNewer(sequence, this.#highest)) return;
    if (sequence < this.#highest) this.#cycles++;
    this.#highest = sequence;
  }

  #keep(packet: KeptPacket): void {
    this.#kept.set(packet.sequence, packet);
    const oldestMs = packet.atMs - KEPT_MS[this.#kind];
    for (const [sequence, { atMs }] of this.#kept) {
      if (atMs >= oldestMs && this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(sequence);
    }
  }

  #noteHole(sequence: number, nowMs: number): void {
    const distance = (sequence - this.#highest) & 0xffff;
    if (distance >= LARGEST_HOLE) {
      this.#missing.clear();
      return;
    }
    for (let step = 1; step < distance; step++) {
      this.#missing.add((this.#highest + step) & 0xffff, nowMs);
    }
  }

  #noteJitter({ timestamp, atMs }: KeptPacket): void {
    const transit = atMs * TICKS_PER_MS[this.#kind] - timestamp;
    const change = Math.abs(transit - (this.#lastTransit ?? transit));
    if (change < 1e6) this.#jitter += (change - this.#jitter) / 16;
    this.#lastTransit = transit;
  }

  /** Returns a kept packet, to retransmit it to a subscriber. */
  kept(sequence: number): KeptPacket | undefined {
    return this.#kept.get(sequence);
  }

  /** Requests the packets that are missing now. True if a video frame has waited too long for one of them. */
  askMissing(send: (feedback: Buffer) => void): boolean {
    const isOut = (sequence: number): boolean => ((this.#highest - sequence) & 0xffff) > MOST_KEPT - 50;
    const { asked, isStale } = this.#missing.due(this.#clock.monotonicMs(), isOut);
    for (let at = 0; at < asked.length; at += MOST_ASKED) {
      send(nack(OWN_SSRC, this.ssrc, asked.slice(at, at + MOST_ASKED)));
    }
    return isStale;
  }

  /** Undefined if no packet has arrived yet. */
  report(): ReceptionBlock | undefined {
    if (this.#highest < 0) return undefined;
    const { expected, extended } = this.#expected();
    const expectedNow = expected - this.#before.expected;
    const lostNow = Math.max(0, expectedNow - (this.#packets - this.#before.packets));
    this.#before = { expected, packets: this.#packets };
    const { sender } = this;
    return {
      ssrc: this.ssrc,
      lostShare: expectedNow > 0 ? lostNow / expectedNow : 0,
      lost: expected - this.#packets,
      highest: extended % 2 ** 32,
      jitter: this.#jitter,
      lastReport: sender ? middleOf(sender) : 0,
      sinceLastReport: sender ? Math.round((this.#clock.monotonicMs() - sender.atMs) * 65.536) : 0,
    };
  }

  #expected(): { expected: number; extended: number } {
    const extended = this.#cycles * 65_536 + this.#highest;
    return { expected: this.#highest < 0 ? 0 : extended - this.#first + 1, extended };
  }

  /** Octets of all received packets. */
  get octets(): number {
    return this.#octets;
  }

  /** Octets and packets since the previous sample. `isWhole` is false if the stream started since then. */
  sample(): { octets: number; expected: number; lost: number; isWhole: boolean } {
    const { expected } = this.#expected();
    const before = this.#sampled;
    const isWhole = before.expected > 0;
    this.#sampled = { expected, packets: this.#packets, octets: this.#octets };
    const expectedNow = expected - before.expected;
    const lost = Math.max(0, expectedNow - (this.#packets - before.packets));
    return { octets: this.#octets - before.octets, expected: expectedNow, lost, isWhole };
  }

  /** Converts an RTP timestamp to ms on the sender's clock. Undefined until the first sender report. */
  senderMs(timestamp: number): number | undefined {
    if (!this.sender) return undefined;
    const { ntpSeconds, ntpFraction, timestamp: at } = this.sender;
    return ntpSeconds * 1000 + ntpFraction / 4_294_967.296 + ((timestamp - at) | 0) / TICKS_PER_MS[this.#kind];
  }
}
