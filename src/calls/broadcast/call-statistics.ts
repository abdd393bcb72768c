/** What only the numbers of a broadcast show, one by one: how often they were called, and how long people talked. */
export const MAX_COUNTED_ATTEMPTS = 5;

export class CallStatistics {
  /** `[0]` were never called, `[1]` once, and so on; the last is `MAX_COUNTED_ATTEMPTS` or more. */
  readonly byAttempts: number[] = Array.from({ length: MAX_COUNTED_ATTEMPTS + 1 }, () => 0);
  /** Seconds, of those that were connected, in no order. */
  readonly durations: number[] = [];

  add(attempts: unknown, seconds: unknown): void {
    if (typeof attempts === 'number') this.byAttempts[Math.min(MAX_COUNTED_ATTEMPTS, attempts)]! += 1;
    if (typeof seconds === 'number') this.durations.push(seconds);
  }
}
