/**
 * Sends pictures to one viewer evenly: a key frame is many packets at once, which a narrow link would lose, and sound with
 * them. Sound and reports do not wait. As long as nothing is known of the link, nothing waits.
 *
 * Invariants
 *  - packets of a stream leave in the order in which they came, but for those that are sent again;
 *  - padding takes nothing from pictures: it comes on top, as much as is to be tried;
 *  - what waits longer than `LONGEST_MS` is thrown away, all of it: the picture begins anew then.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import type { PacketSink } from './outgoing-stream.ts';
import { RateMeter } from './rate-meter.ts';
import { writeSendTime } from './send-time.ts';

const TICK_MS = 5;
/** What may leave at once. */
const BURST_OCTETS = 6000;
const LONGEST_MS = 400;
/** bit/s of what is sent again that are always allowed. */
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

  /** bit/s that left within the last so many milliseconds. */
  sent(overMs?: number): number {
    return this.#sent.bitsPerSecond(this.#clock.monotonicMs(), overMs);
  }

  /** The same without padding. */
  get media(): number {
    return this.sent() - this.#padded.bitsPerSecond(this.#clock.monotonicMs());
  }

  /** How fast pictures may leave. Undefined: at once. */
  setRate(bitsPerSecond: number | undefined): void {
    const wasUnlimited = this.#bitsPerSecond === undefined;
    this.#fill();
    this.#bitsPerSecond = bitsPerSecond;
    // What left without a limit is not owed.
    if (wasUnlimited) this.#tokens = BURST_OCTETS;
    if (bitsPerSecond === undefined) this.#drain();
  }

  /** At once: sound, reports. */
  send(bytes: Buffer): void {
    this.#leave(bytes);
  }

  /** At once, on top of all others. */
  sendPadding(bytes: Buffer): void {
    this.#padded.add(bytes.length, this.#clock.monotonicMs());
    this.#pass(bytes);
  }

  /** A packet of a picture, in its turn. */
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

  /** Once more: before those that wait, as long as that does not take all there is; nor more than anybody loses. */
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
    if (first && nowMs - first.sinceMs > LONGEST_MS) {
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

  /** What waits is thrown away. */
  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#waiting.length = 0;
  }
}
