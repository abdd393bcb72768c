/**
 * Clock and timers of the call logic, injected as a dependency: outside of this file, call logic neither reads the wall
 * clock nor sets a timer. Invariant: timers of one clock fire in order of their deadlines; timers with the same
 * deadline fire in the order in which they were set.
 */
export interface Timer {
  /** Cancels the timer. No effect after it has fired or was cancelled. */
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /**
   * Milliseconds of a monotonic clock since an arbitrary moment. The difference of two readings is a duration,
   * regardless of changes of the wall clock in between. Not comparable between processes.
   */
  monotonicMs(): number;
  /** Calls `fire` once, `delayMs` from now (0 or more). */
  after(delayMs: number, fire: () => void): Timer;
}

/** `setTimeout` fires at once with a longer delay. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

class SystemTimer implements Timer {
  readonly #timeout: NodeJS.Timeout;

  constructor(timeout: NodeJS.Timeout) {
    this.#timeout = timeout;
  }

  cancel(): void {
    clearTimeout(this.#timeout);
  }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, fire) {
    // The usual case: without the closures of a long delay, because each call sets a dozen timers.
    if (delayMs <= MAX_TIMEOUT_MS) {
      return new SystemTimer(setTimeout(fire, Math.max(0, delayMs)));
    }
    let handle: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const partMs = Math.min(leftMs, MAX_TIMEOUT_MS);
      handle = setTimeout(() => (partMs < leftMs ? wait(leftMs - partMs) : fire()), partMs);
    };
    wait(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Calls `fire` after the delay, but does not keep the process alive for it. */
export const unlessEnded = (delayMs: number, fire: () => void): void => void setTimeout(fire, delayMs).unref();

/** Clock of a component: `close` cancels all its timers, and no timer is set afterwards. */
export interface ClosableClock extends Clock {
  close(): void;
}

/**
 * Wraps a clock so that timers which re-arm themselves end with their component: none keeps the process alive or uses
 * released resources.
 */
export function closableClock(clock: Clock): ClosableClock {
  const timers = new Set<Timer>();
  let isClosed = false;
  return {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    after(delayMs, fire) {
      if (isClosed) return { cancel: () => undefined };
      const timer = new ClosableTimer(timers, fire);
      timer.set(clock, delayMs);
      return timer;
    },
    close() {
      isClosed = true;
      for (const timer of timers) timer.cancel();
    },
  };
}

/** Timer of a closable clock: one of `all` until it fires or is cancelled. */
class ClosableTimer implements Timer {
  readonly #all: Set<Timer>;
  readonly #fire: () => void;
  #inner: Timer | undefined;

  constructor(all: Set<Timer>, fire: () => void) {
    this.#all = all;
    this.#fire = fire;
    all.add(this);
  }

  set(clock: Clock, delayMs: number): void {
    this.#inner = clock.after(delayMs, () => {
      this.#all.delete(this);
      this.#fire();
    });
  }

  cancel(): void {
    this.#all.delete(this);
    this.#inner?.cancel();
  }
}

/** Waits for this work for at most `limitMs`. Undefined if it has not finished by then; the work itself continues. */
export async function atMost<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = clock.after(limitMs, () => resolve(undefined));
  return Promise.race([work, late]).finally(() => timer.cancel());
}
