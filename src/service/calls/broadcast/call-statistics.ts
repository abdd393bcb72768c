/** Statistics over the single numbers of a broadcast: attempts per number and duration of connected calls. */
export const MAX_COUNTED_ATTEMPTS = 5;

export class CallStatistics {
  /**
   * Numbers by attempts: `[0]` never called, `[1]` once, and so on; the last element is `MAX_COUNTED_ATTEMPTS` or more.
   */
  readonly byAttempts: number[] = Array.from({ length: MAX_COUNTED_ATTEMPTS + 1 }, () => 0);
  /** Durations of connected calls in seconds, unsorted. */
  readonly durations: number[] = [];

  add(attempts: unknown, seconds: unknown): void {
    if (typeof attempts === 'number') this.byAttempts[Math.min(MAX_COUNTED_ATTEMPTS, attempts)]! += 1;
    if (typeof seconds === 'number') this.durations.push(seconds);
  }
}
