/**
 * Frames of sound between two timers that run at one rate: one side adds them when they come, the other takes one in each
 * interval. It waits for a few frames before the first, and for more of them the more often it ran dry. What nobody took
 * while there was a pause is old when it begins again, and is left out.
 *
 * Invariants
 *  - it never holds more than `MOST_FRAMES`: the oldest go first;
 *  - what it needs no longer is skipped, a frame at a time, so that a delay does not stay for ever.
 */
const MOST_FRAMES = 15;
const MOST_DELAY = 10;
/** Frames that came so soon after it ran dry were only late. */
const LATE_FRAMES = 10;
/** With frames to spare for so long, one is skipped. */
const SPARE_READS = 50;
/** Without running dry for so long, fewer frames will do. */
const CALM_READS = 500;

export class FrameQueue {
  readonly #leastDelay: number;
  readonly #frames: Int16Array[] = [];
  /** Frames that wait when the first is taken. */
  #delay: number;
  #isPlaying = false;
  /** It goes on with what was only late. */
  #isLate = false;
  /** Reads since it ran dry. */
  #dry = 0;
  #spare = 0;
  #calm = 0;

  constructor(leastDelay: number) {
    this.#leastDelay = leastDelay;
    this.#delay = leastDelay;
  }

  get delay(): number {
    return this.#delay;
  }

  get length(): number {
    return this.#frames.length;
  }

  /** The frame belongs to the queue from now on. */
  add(frame: Int16Array): void {
    if (this.#dry > 0 && this.#dry <= LATE_FRAMES) {
      this.#delay = Math.min(MOST_DELAY, this.#delay + 1);
      this.#isLate = true;
    }
    this.#dry = 0;
    if (this.#frames.length >= MOST_FRAMES) this.#frames.shift();
    this.#frames.push(frame);
  }

  /** The frame of this interval; undefined: silence. */
  next(): Int16Array | undefined {
    if (!this.#isPlaying && this.#frames.length < this.#delay) {
      if (this.#dry > 0) this.#dry++;
      return undefined;
    }
    if (!this.#isPlaying && !this.#isLate) this.#frames.splice(0, this.#frames.length - this.#delay);
    this.#isLate = false;
    const frame = this.#frames.shift();
    this.#isPlaying = frame !== undefined;
    if (!frame) {
      this.#dry = 1;
      this.#calm = 0;
      return undefined;
    }
    this.#adapt();
    return frame;
  }

  #adapt(): void {
    this.#spare = this.#frames.length < this.#delay ? 0 : this.#spare + 1;
    if (this.#spare >= SPARE_READS) {
      this.#frames.shift();
      this.#spare = 0;
    }
    if (++this.#calm < CALM_READS) return;
    this.#calm = 0;
    this.#delay = Math.max(this.#leastDelay, this.#delay - 1);
  }
}
