/**
 * Highest simulcast layer that the link of a subscriber carries. Janus reports lost packets, but no bandwidth, so that
 * layers are tried: a lower one as soon as many packets are lost, a higher one after a while without loss. After a
 * failed try the next one comes later.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';

/** Loss reported this soon after a change was caused by the previous layer. */
const SETTLE_MS = 1500;
/** Loss within this time after a higher layer was caused by that layer. */
const TRIED_MS = 5000;
const FIRST_WAIT_MS = 8000;
const MAX_WAIT_MS = 120_000;

export class LinkLimit {
  readonly #clock: Clock;
  readonly #best: number;
  readonly #changed: (most: number) => void;
  #most: number;
  #waitMs = FIRST_WAIT_MS;
  #changedMs = Number.NEGATIVE_INFINITY;
  #raisedMs = Number.NEGATIVE_INFINITY;
  #raise: Timer | undefined;

  /** Layers are numbered from 0 to `best`. */
  constructor({ clock, best, changed }: { clock: Clock; best: number; changed(most: number): void }) {
    this.#clock = clock;
    this.#best = best;
    this.#most = best;
    this.#changed = changed;
  }

  /** Highest layer that the link is assumed to carry. */
  get most(): number {
    return this.#most;
  }

  /** Many packets were lost. */
  lossy(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#changedMs < SETTLE_MS) return;
    const hasFailed = nowMs - this.#raisedMs < TRIED_MS;
    if (this.#most > 0) {
      this.#waitMs = hasFailed ? Math.min(MAX_WAIT_MS, this.#waitMs * 2) : FIRST_WAIT_MS;
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
