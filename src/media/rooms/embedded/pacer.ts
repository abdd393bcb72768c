/**
 * Paces video to one subscriber: a key frame is a burst of packets that a narrow link would lose, together with audio.
 * Audio and reports are not delayed. Until the bandwidth of the link is known, no packets are delayed.
 *
 * Invariants
 *  - packets of a stream are sent in order of arrival, except retransmissions;
 *  - padding does not take bandwidth from video: it is sent in addition, as much as the probe requires;
 *  - if packets wait longer than `MAX_MS`, all queued packets are dropped, and video restarts with a key frame.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { PacketSink } from '../media-transport.ts';
import { RateMeter } from './rate-meter.ts';
import { writeSendTime } from './send-time.ts';

const TICK_MS = 5;
/** Octets that may be sent at once. */
const BURST_OCTETS = 6000;
const MAX_MS = 400;
/** Rate of retransmissions that is always allowed, in bit/s. */
const LEAST_AGAIN = 300_000;

export class Pacer implements PacketSink {
  readonly #clock: Clock;
  readonly #sink: () => PacketSink | undefined;
  readonly #overflowed: () => void;
  readonly #sent = new RateMeter();
  readonly #padded = new RateMeter();
  readonly #again = new RateMeter();
  readonly #waiting: { bytes: Buffer; sinceMs: number }[] = [];
  #bitsPerSecond: number | undefined;
  #tokens = BURST_OCTETS;
  #filledMs: number;
  #timer: Timer | undefined;

  constructor(parts: { clock: Clock; sink: () => PacketSink | undefined; overflowed(): void }) {
    this.#clock = parts.clock;
    this.#sink = parts.sink;
    this.#overflowed = parts.overflowed;
    this.#filledMs = parts.clock.monotonicMs();
  }

  get isOpen(): boolean {
    return this.#sink()?.isOpen ?? false;
  }

  /** Rate in bit/s over the last `overMs`. */
  sent(overMs?: number): number {
    return this.#sent.bitsPerSecond(this.#clock.monotonicMs(), overMs);
  }

  /** The same without padding. */
  get media(): number {
    return this.sent() - this.#padded.bitsPerSecond(this.#clock.monotonicMs());
  }

  /** Sets the rate for video. Undefined: no pacing. */
  setRate(bitsPerSecond: number | undefined): void {
    const wasUnlimited = this.#bitsPerSecond === undefined;
    this.#fill();
    this.#bitsPerSecond = bitsPerSecond;
    // Packets that were sent without a limit do not count as debt.
    if (wasUnlimited) this.#tokens = BURST_OCTETS;
    if (bitsPerSecond === undefined) this.#drain();
  }

  /** Sends audio and reports at once. */
  send(bytes: Buffer): void {
    this.#leave(bytes);
  }

  /** Sends padding at once, in addition to all other packets. */
  sendPadding(bytes: Buffer): void {
    this.#padded.add(bytes.length, this.#clock.monotonicMs());
    this.#pass(bytes);
  }

  /** Queues a video packet. */
  sendPicture(bytes: Buffer): void {
    if (this.#bitsPerSecond === undefined) {
      this.#leave(bytes);
      return;
    }
    this.#fill();
    if (this.#waiting.length === 0 && this.#tokens > 0) this.#leave(bytes);
    else {
      this.#waiting.push({ bytes: Buffer.from(bytes), sinceMs: this.#clock.monotonicMs() });
      this.#wait();
    }
  }

  /** Retransmits a packet before queued ones, unless that would use the whole rate or exceed a plausible loss. */
  sendAgain(bytes: Buffer): void {
    if (this.#bitsPerSecond !== undefined) {
      this.#fill();
      if (this.#tokens < -BURST_OCTETS) return;
    }
    const nowMs = this.#clock.monotonicMs();
    const again = this.#again.bitsPerSecond(nowMs);
    if (again > Math.max(LEAST_AGAIN, (this.media - again) / 2)) return;
    this.#again.add(bytes.length, nowMs);
    this.#leave(bytes);
  }

  #leave(bytes: Buffer): void {
    this.#tokens -= bytes.length;
    this.#pass(bytes);
  }

  #pass(bytes: Buffer): void {
    this.#sent.add(bytes.length, this.#clock.monotonicMs());
    this.#sink()?.send(bytes);
  }

  #fill(): void {
    const nowMs = this.#clock.monotonicMs();
    const gained = ((nowMs - this.#filledMs) * (this.#bitsPerSecond ?? 0)) / 8000;
    this.#tokens = Math.min(BURST_OCTETS, this.#tokens + gained);
    this.#filledMs = nowMs;
  }

  #wait(): void {
    this.#timer ??= this.#clock.after(TICK_MS, () => {
      this.#timer = undefined;
      this.#drain();
    });
  }

  #drain(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#fill();
    const [first] = this.#waiting;
    if (first && nowMs - first.sinceMs > MAX_MS) {
      this.#waiting.length = 0;
      this.#overflowed();
      return;
    }
    let left = 0;
    for (; left < this.#waiting.length; left++) {
      if (this.#bitsPerSecond !== undefined && this.#tokens <= 0) break;
      const { bytes } = this.#waiting[left]!;
      writeSendTime(bytes, this.#clock.now());
      this.#leave(bytes);
    }
    this.#waiting.splice(0, left);
    if (this.#waiting.length > 0) this.#wait();
  }

  /** Drops the queued packets. */
  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#waiting.length = 0;
  }
}
