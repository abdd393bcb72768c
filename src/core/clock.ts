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

/** Calls `fire` unless the process has ended by itself before: the timer is no reason for it to stay. */
export const unlessEnded = (delayMs: number, fire: () => void): void => void setTimeout(fire, delayMs).unref();

/** A clock for as long as something runs: `close` cancels all its timers, and none is set afterwards. */
export interface ClosableClock extends Clock {
  close(): void;
}

/** Self-arming timers end with it, so that none keeps a process alive or acts on what was freed. */
export function closableClock(clock: Clock): ClosableClock {
  const timers = new Set<Timer>();
  let isClosed = false;
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    after(delayMs, fire) {
      if (isClosed) return { cancel: () => undefined };
      const inner = clock.after(delayMs, () => {
        timers.delete(timer);
        fire();
      });
      const timer: Timer = {
        cancel() {
          timers.delete(timer);
          inner.cancel();
        },
      };
      timers.add(timer);
      return timer;
    },
    close() {
      isClosed = true;
      for (const timer of timers) timer.cancel();
    },
  };
}

/** Waits for this work, but no longer than `limitMs`; undefined: it is not done yet, and goes on. */
export async function atMost<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = clock.after(limitMs, () => resolve(undefined));
  return Promise.race([work, late]).finally(() => timer.cancel());
}
