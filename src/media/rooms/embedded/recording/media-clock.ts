/**
 * Maps RTP timestamps of a participant to capture times on the local clock: audio by its earliest arrival, video by its
 * offset from the audio on the sender's clock (sender reports), for lip sync.
 */
import { type IncomingStream, TICKS_PER_MS } from '../incoming-stream.ts';
import type { MediaKind } from '../sdp.ts';

/** Difference above which the timestamps have restarted, or the sender's clock is wrong. */
const MAX_DIFFERENCE_MS = 2000;

/** Linear mapping from timestamps of one stream to the local clock. */
class Line {
  readonly #ticksPerMs: number;
  #anchor: { timestamp: number; ms: number };
  /** True once a time was returned: the mapping does not change after that. */
  #isFixed = false;

  constructor(kind: MediaKind, timestamp: number, atMs: number) {
    this.#ticksPerMs = TICKS_PER_MS[kind];
    this.#anchor = { timestamp, ms: atMs };
  }

  observe(timestamp: number, atMs: number): void {
    const ms = this.#at(timestamp);
    if (Math.abs(atMs - ms) > MAX_DIFFERENCE_MS) this.#anchor = { timestamp, ms: atMs };
    // A packet cannot arrive before it was captured, so that the earliest arrival is the best anchor.
    else this.#anchor = { timestamp, ms: this.#isFixed ? ms : Math.min(ms, atMs) };
  }

  msOf(timestamp: number): number {
    this.#isFixed = true;
    return this.#at(timestamp);
  }

  #at(timestamp: number): number {
    return this.#anchor.ms + ((timestamp - this.#anchor.timestamp) | 0) / this.#ticksPerMs;
  }
}

export class MediaClock {
  readonly #lines = new WeakMap<IncomingStream, Line>();
  /** Offset from the sender's clock to the local clock. */
  #offsetMs: number | undefined;

  /** Records the arrival of a frame. */
  observe(stream: IncomingStream, kind: MediaKind, timestamp: number, atMs: number): void {
    const line = this.#lines.get(stream);
    if (line) line.observe(timestamp, atMs);
    else this.#lines.set(stream, new Line(kind, timestamp, atMs));
  }

  /** Returns the capture time of a frame that was recorded by `hear`. */
  msOf(stream: IncomingStream, kind: MediaKind, timestamp: number): number {
    const ms = this.#lines.get(stream)!.msOf(timestamp);
    const senderMs = stream.senderMs(timestamp);
    if (senderMs === undefined) return ms;
    if (kind === 'audio') this.#offsetMs = ms - senderMs;
    if (this.#offsetMs === undefined) return ms;
    const bySender = senderMs + this.#offsetMs;
    return Math.abs(bySender - ms) > MAX_DIFFERENCE_MS ? ms : bySender;
  }
}
