/**
 * What is believed of a receiver. One that fails again and again is left alone, but for a single attempt now and then,
 * which waits longer each time; when one succeeds, more and more are let through, as fast as they succeed.
 *
 * Invariants
 *  C1 while it is open no more than one attempt is under way, and none before it is time for it;
 *  C2 attempts that began before it opened neither lengthen the pauses nor shorten them.
 */
export type CircuitState = 'closed' | 'open' | 'recovering';

/** So many failures without a success between them. */
const FAILURES_TO_OPEN = 20;
/** When it was open a moment ago. */
const FAILURES_TO_REOPEN = 5;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A fifth more or less: not everybody comes back to a server in the same instant. */
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

  /** While it is open: since when. */
  get openedMs(): number {
    return this.#openedMs;
  }

  /** While it is open: no attempt before. */
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

  /** Somebody believes that the receiver is back: what was known of it counts no longer. */
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
