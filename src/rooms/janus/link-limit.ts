/**
 * Which layer of pictures the link of a viewer carries. Janus reports that packets were lost, not what would arrive: so
 * layers are tried, a lower one as soon as many packets are lost, a higher one after a while without loss. After a try
 * that failed the next one comes later.
 */
import type { Clock, Timer } from '../../core/clock.ts';

/** Loss that is reported so soon after a change is of the layer before. */
const SETTLE_MS = 1500;
/** Loss within that time after a higher layer is due to it. */
const TRIED_MS = 5000;
const FIRST_WAIT_MS = 8000;
const LONGEST_WAIT_MS = 120_000;

export class LinkLimit {
  readonly #clock: Clock;
  readonly #best: number;
  readonly #changed: (most: number) => void;
  #most: number;
  #waitMs = FIRST_WAIT_MS;
  #changedMs = Number.NEGATIVE_INFINITY;
  #raisedMs = Number.NEGATIVE_INFINITY;
  #raise: Timer | undefined;

  /** Layers count from 0 to `best`. */
  constructor({ clock, best, changed }: { clock: Clock; best: number; changed(most: number): void }) {
    this.#clock = clock;
    this.#best = best;
    this.#most = best;
    this.#changed = changed;
  }

  /** The highest layer that it is believed to carry. */
  get most(): number {
    return this.#most;
  }

  /** Many packets were lost. */
  lossy(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#changedMs < SETTLE_MS) return;
    const hasFailed = nowMs - this.#raisedMs < TRIED_MS;
    if (this.#most > 0) {
      this.#waitMs = hasFailed ? Math.min(LONGEST_WAIT_MS, this.#waitMs * 2) : FIRST_WAIT_MS;
      this.#set(this.#most - 1);
    }
    this.#raiseLater();
  }

  #raiseLater(): void {
    this.#raise?.cancel();
    if (this.#most >= this.#best) return;
    this.#raise = this.#clock.after(this.#waitMs, () => {
      this.#raisedMs = this.#clock.monotonicMs();
      this.#set(this.#most + 1);
      this.#raiseLater();
    });
  }

  #set(most: number): void {
    this.#most = most;
    this.#changedMs = this.#clock.monotonicMs();
    this.#changed(most);
  }

  stop(): void {
    this.#raise?.cancel();
  }
}
