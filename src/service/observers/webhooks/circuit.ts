/**
 * Circuit breaker of a receiver. After many failures it opens: only single attempts (probes) are made, after pauses
 * with exponential back-off. After a successful probe it admits more and more concurrent attempts, one more per
 * success.
 *
 * Invariants
 *  - While it is open, at most one attempt is in flight, and none before its time.
 *  - Attempts that started before it opened do not change the pauses.
 */
export type CircuitState = 'closed' | 'open' | 'recovering';

/** Consecutive failures that open the circuit. */
const FAILURES_TO_OPEN = 20;
/** Consecutive failures that open it again while it recovers. */
const FAILURES_TO_REOPEN = 5;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
/** ±20 %, so that not all probes reach a server at the same time. */
const JITTER = 0.2;

export class Circuit {
  readonly #max: number;
  readonly #random: () => number;
  /** Maximum attempts in flight; 0 if it is open. */
  #allowance: number;
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #isProbing = false;
  #openedMs = 0;
  #nextProbeMs = 0;

  constructor(max: number, random: () => number) {
    this.#max = max;
    this.#allowance = max;
    this.#random = random;
  }

  get state(): CircuitState {
    if (this.#allowance === 0) return 'open';
    return this.#allowance < this.#max ? 'recovering' : 'closed';
  }

  /** Time at which it opened. */
  get openedMs(): number {
    return this.#openedMs;
  }

  /** Earliest time of the next probe while it is open. */
  get nextProbeMs(): number {
    return this.#nextProbeMs;
  }

  /** Count of attempts that may start now. */
  permits(nowMs: number, active: number): number {
    if (this.#allowance > 0) return Math.max(0, this.#allowance - active);
    return active === 0 && nowMs >= this.#nextProbeMs ? 1 : 0;
  }

  /** An attempt starts. */
  started(): void {
    this.#isProbing = this.#allowance === 0;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#isProbing = false;
    if (this.#allowance < this.#max) this.#allowance += 1;
    if (this.#allowance === this.#max) this.#pauseMs = FIRST_PAUSE_MS;
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

  /** The receiver is expected to be back: allows the next probe at once. */
  reset(nowMs: number): void {
    this.#openedMs = nowMs;
    this.#nextProbeMs = nowMs;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  #pause(nowMs: number): void {
    this.#nextProbeMs = nowMs + Math.round(this.#pauseMs * (1 + JITTER * (2 * this.#random() - 1)));
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
  }
}
