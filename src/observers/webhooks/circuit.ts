/**
 * The circuit breaker of a receiver. After many failures it opens: one attempt is made now and then (a probe), after
 * pauses that grow. When a probe succeeds, more and more attempts are let through, as fast as they succeed.
 *
 * Invariants
 *  - while it is open, at most one attempt is under way, and none before its time;
 *  - attempts that began before it opened neither lengthen the pauses nor shorten them.
 */
export type CircuitState = 'closed' | 'open' | 'recovering';

/** Failures without a success between them. */
const FAILURES_TO_OPEN = 20;
/** While it recovers. */
const FAILURES_TO_REOPEN = 5;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A fifth more or less, so that not all probes reach a server at the same moment. */
const JITTER = 0.2;

export class Circuit {
  readonly #most: number;
  readonly #random: () => number;
  /** How many attempts may be under way at once; 0: it is open. */
  #allowance: number;
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #isProbing = false;
  #openedMs = 0;
  #nextProbeMs = 0;

  constructor(most: number, random: () => number) {
    this.#most = most;
    this.#allowance = most;
    this.#random = random;
  }

  get state(): CircuitState {
    if (this.#allowance === 0) return 'open';
    return this.#allowance < this.#most ? 'recovering' : 'closed';
  }

  /** Since when it is open. */
  get openedMs(): number {
    return this.#openedMs;
  }

  /** While it is open: when the next probe may begin. */
  get nextProbeMs(): number {
    return this.#nextProbeMs;
  }

  /** How many attempts may begin now. */
  permits(nowMs: number, active: number): number {
    if (this.#allowance > 0) return Math.max(0, this.#allowance - active);
    return active === 0 && nowMs >= this.#nextProbeMs ? 1 : 0;
  }

  /** An attempt begins. */
  begin(): void {
    this.#isProbing = this.#allowance === 0;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isProbing = false;
    if (this.#allowance < this.#most) this.#allowance += 1;
    if (this.#allowance === this.#most) this.#pauseMs = FIRST_PAUSE_MS;
  }

  failed(nowMs: number): void {
    this.#failures += 1;
    if (this.#allowance === 0) {
      if (this.#isProbing) this.#pause(nowMs);
      this.#isProbing = false;
    } else if (this.#failures >= (this.state === 'closed' ? FAILURES_TO_OPEN : FAILURES_TO_REOPEN)) {
      this.#allowance = 0;
      this.#openedMs = nowMs;
      this.#pause(nowMs);
    } else if (this.state === 'recovering') {
      this.#allowance = Math.max(1, this.#allowance >> 1);
    }
  }

  /** Somebody believes that the receiver is back: the next probe may begin at once. */
  reset(nowMs: number): void {
    this.#openedMs = nowMs;
    this.#nextProbeMs = nowMs;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  #pause(nowMs: number): void {
    this.#nextProbeMs = nowMs + Math.round(this.#pauseMs * (1 + JITTER * (2 * this.#random() - 1)));
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
  }
}
