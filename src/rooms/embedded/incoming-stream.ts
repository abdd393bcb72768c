/**
 * One stream that is received: a microphone, or one layer of a picture. It notices what is missing and asks for it, keeps
 * what came last for viewers who lost it, and writes the figures of receiver reports.
 */
import type { Clock } from '../../core/clock.ts';
import { MissingPackets } from './missing-packets.ts';
import { RateMeter } from './rate-meter.ts';
import { middleOf, nack, type ReceptionBlock, type SenderClock } from './rtcp.ts';
import { isNewer, type PictureDescriptor, type RtpPacket } from './rtp.ts';
import type { MediaKind } from './sdp.ts';

/** A packet as it waits for viewers who may ask for it again. */
export interface KeptPacket extends RtpPacket {
  picture?: PictureDescriptor;
  atMs: number;
}

/** Ours, as the sender of feedback. */
export const OWN_SSRC = 1;
/** RTP clock ticks per millisecond. */
export const TICKS_PER_MS: Readonly<Record<MediaKind, number>> = { video: 90, audio: 48 };

/** Of use to a viewer who lost it: sound that is played long since is not, pictures wait for each other longer. */
const KEPT_MS: Readonly<Record<MediaKind, number>> = { audio: 1000, video: 2000 };
/** However many come in that time. */
const MOST_KEPT = 512;
/** A larger hole is a new beginning of the sender. */
const LARGEST_HOLE = 200;
const MOST_ASKED = 60;
const ALIVE_MS = 1500;

export class IncomingStream {
  readonly ssrc: number;
  /** Of simulcast. */
  readonly rid: string | undefined;
  readonly #kind: MediaKind;
  readonly #clock: Clock;
  /** By their numbers, in the order in which they came. */
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
  /** Of its last sender report. */
  sender: (SenderClock & { atMs: number }) | undefined;
  keyAskedMs = Number.NEGATIVE_INFINITY;
  /** How large its pictures are; 0: not known. */
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

  /** When something came last. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** Whether something came lately. */
  isAlive(nowMs: number, withinMs = ALIVE_MS): boolean {
    return nowMs - this.#lastMs < withinMs;
  }

  bitsPerSecond(nowMs: number): number {
    return this.#rate.bitsPerSecond(nowMs);
  }

  /** False: it came before, or far too late. */
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

  /** A packet for which there is no time: it is lost, and not asked for again, nor is what is missing before it. */
  skip({ sequence }: RtpPacket): void {
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

  /** A packet that a viewer lost. */
  kept(sequence: number): KeptPacket | undefined {
    return this.#kept.get(sequence);
  }

  /** The request for what is missing now. True: a picture waits for it too long. */
  askMissing(send: (feedback: Buffer) => void): boolean {
    const isOut = (sequence: number): boolean => ((this.#highest - sequence) & 0xffff) > MOST_KEPT - 50;
    const { asked, isStale } = this.#missing.due(this.#clock.monotonicMs(), isOut);
    for (let at = 0; at < asked.length; at += MOST_ASKED) {
      send(nack(OWN_SSRC, this.ssrc, asked.slice(at, at + MOST_ASKED)));
    }
    return isStale;
  }

  /** Undefined: nothing came yet. */
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

  /** All that was received. */
  get octets(): number {
    return this.#octets;
  }

  /** Octets and packets since the sample before. Not whole: the stream began meanwhile. */
  sample(): { octets: number; expected: number; lost: number; isWhole: boolean } {
    const { expected } = this.#expected();
    const before = this.#sampled;
    const isWhole = before.expected > 0;
    this.#sampled = { expected, packets: this.#packets, octets: this.#octets };
    const expectedNow = expected - before.expected;
    const lost = Math.max(0, expectedNow - (this.#packets - before.packets));
    return { octets: this.#octets - before.octets, expected: expectedNow, lost, isWhole };
  }

  /** Milliseconds of the sender's clock at a time stamp; undefined until its first report. */
  senderMs(timestamp: number): number | undefined {
    if (!this.sender) return undefined;
    const { ntpSeconds, ntpFraction, timestamp: at } = this.sender;
    return ntpSeconds * 1000 + ntpFraction / 4_294_967.296 + ((timestamp - at) | 0) / TICKS_PER_MS[this.#kind];
  }
}
