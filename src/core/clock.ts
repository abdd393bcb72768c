/**
 * Time comes in through the door: nothing outside this file reads the wall clock or sets a timer for call logic.
 * Invariant: timers of one clock fire in order of their deadline, and those of the same deadline in the order they were set.
 */
export interface Timer {
  /** Forgets the timer; a timer that fired or was cancelled ignores it. */
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /**
   * Milliseconds since some moment in the past, by a clock that nobody sets: the difference of two readings is how long
   * something took, whatever happened to the wall clock in between. Not comparable between processes.
   */
  monotonicMs(): number;
  /** Calls `fire` once, `delayMs` from now (0 or more). */
  after(delayMs: number, fire: () => void): Timer;
}

/** A longer timeout would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, fire) {
    let handle: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const partMs = Math.min(leftMs, MAX_TIMEOUT_MS);
      handle = setTimeout(() => (partMs < leftMs ? wait(leftMs - partMs) : fire()), partMs);
    };
    wait(Math.max(0, delayMs));
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Waits for this work, but no longer than `limitMs`; undefined: it is not done yet, and goes on. */
export async function atMost<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = clock.after(limitMs, () => resolve(undefined));
  return Promise.race([work, late]).finally(() => timer.cancel());
}
