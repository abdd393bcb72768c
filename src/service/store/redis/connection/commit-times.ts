/**
 * Durations of commits up to the required durability: a histogram of all for metrics, the latest ones for status
 * displays.
 */
import { Distribution } from '../../../../base/core/figures.ts';

const BOUNDS_S = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const RECENT = 512;

export class CommitTimes {
  readonly seconds = new Distribution(BOUNDS_S);
  readonly #recentMs: number[] = [];
  #next = 0;

  add(ms: number): void {
    this.seconds.add(ms / 1000);
    this.#recentMs[this.#next] = ms;
    this.#next = (this.#next + 1) % RECENT;
  }

  /** Quantile of the latest commits; undefined without any. */
  quantileMs(share: number): number | undefined {
    const sorted = this.#recentMs.toSorted((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  }
}
