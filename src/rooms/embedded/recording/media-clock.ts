/**
 * When what a participant sends was made, in the time of this machine: sound by when its packets come at the earliest, a
 * picture by how far it is from the sound in the clock of their sender (sender reports), so that lips fit.
 */
import { type IncomingStream, TICKS_PER_MS } from '../incoming-stream.ts';
import type { MediaKind } from '../sdp.ts';

/** Farther off than that the numbers begin anew, or the sender's clock is not to be trusted. */
const LARGEST_DIFFERENCE_MS = 2000;

/** The time stamps of one stream, laid along the time of this machine. */
class Line {
  readonly #ticksPerMs: number;
  #anchor: { timestamp: number; ms: number };
  /** Once a time was given the line stays where it is. */
  #isFixed = false;

  constructor(kind: MediaKind, timestamp: number, atMs: number) {
    this.#ticksPerMs = TICKS_PER_MS[kind];
    this.#anchor = { timestamp, ms: atMs };
  }

  hear(timestamp: number, atMs: number): void {
    const ms = this.#at(timestamp);
    if (Math.abs(atMs - ms) > LARGEST_DIFFERENCE_MS) this.#anchor = { timestamp, ms: atMs };
    // Before its time is as impossible as sound that comes before it was made.
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
  /** What has to be added to the sender's clock. */
  #offsetMs: number | undefined;

  /** Each frame, as it comes. */
  hear(stream: IncomingStream, kind: MediaKind, timestamp: number, atMs: number): void {
    const line = this.#lines.get(stream);
    if (line) line.hear(timestamp, atMs);
    else this.#lines.set(stream, new Line(kind, timestamp, atMs));
  }

  /** Of a frame that was heard. */
  msOf(stream: IncomingStream, kind: MediaKind, timestamp: number): number {
    const ms = this.#lines.get(stream)!.msOf(timestamp);
    const senderMs = stream.senderMs(timestamp);
    if (senderMs === undefined) return ms;
    if (kind === 'audio') this.#offsetMs = ms - senderMs;
    if (this.#offsetMs === undefined) return ms;
    const bySender = senderMs + this.#offsetMs;
    return Math.abs(bySender - ms) > LARGEST_DIFFERENCE_MS ? ms : bySender;
  }
}
