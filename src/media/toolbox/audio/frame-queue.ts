/**
 * Queue of audio frames between two timers of the same rate: one side adds frames as they arrive, the other takes one
 * per interval. It buffers a few frames before the first read, and more of them the more often it underran. Frames that
 * were not taken during a pause are outdated when reading resumes, and are dropped.
 * Invariants
 *  - the queue never holds more than `MAX_FRAMES`: the oldest are dropped first;
 *  - surplus frames are skipped one at a time, so that an added delay is not permanent.
 */
const MAX_FRAMES = 15;
const MAX_DELAY = 10;
/** Frames that arrive within so many reads after an underrun were only late. */
const LATE_FRAMES = 10;
/** After so many reads in a row with surplus frames, one frame is skipped. */
const SPARE_READS = 50;
/** After so many reads without an underrun, the delay is reduced. */
const CALM_READS = 500;

export class FrameQueue {
  readonly #leastDelay: number;
  readonly #frames: Int16Array[] = [];
  /** Number of buffered frames at which reading starts. */
  #delay: number;
  #isPlaying = false;
  /** True if the frames after an underrun were only late: reading resumes without dropping any. */
  #isLate = false;
  /** Reads since the last underrun. */
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

  /** The queue owns the frame from now on. */
  add(frame: Int16Array): void {
    if (this.#dry > 0 && this.#dry <= LATE_FRAMES) {
      this.#delay = Math.min(MAX_DELAY, this.#delay + 1);
      this.#isLate = true;
    }
    this.#dry = 0;
    if (this.#frames.length >= MAX_FRAMES) this.#frames.shift();
    this.#frames.push(frame);
  }

  /** The frame of this interval. Undefined: silence. */
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
