/**
 * Limits the number of concurrent attempts. Receivers take turns, so that a slow one delays only itself, however many
 * events wait for it.
 *
 * Invariants
 *  - A receiver without an attempt in flight goes before the others, and may also use the spare permits.
 *  - The receivers of one owner never hold all permits, however many they are.
 */
export interface SemaphoreLimits {
  total: number;
  perReceiver: number;
  /** Permits beyond `total`, for receivers without an attempt in flight. */
  spare?: number;
  /** Maximum over all receivers of one owner. */
  perOwner?: number;
}

export interface Competitor {
  readonly owner: string;
  /** Attempts in flight, counted by the semaphore. */
  active: number;
  /** True if one more may start now. */
  mayStart(): boolean;
  /** Starts the next attempt; the promise must not reject. */
  start(): Promise<void>;
  /** An attempt has finished: the competitor may enter again. */
  ended(): void;
}

export class FairSemaphore {
  readonly #limits: SemaphoreLimits;
  /** Competitors that may have an attempt to start, in the order of their turns. */
  readonly #waiting = new Set<Competitor>();
  readonly #activeOfOwner = new Map<string, number>();
  #active = 0;
  #isServing = false;
  #idle: (() => void)[] = [];

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /** Maximum attempts in flight for one receiver. */
  get perReceiver(): number {
    return this.#limits.perReceiver;
  }

  get active(): number {
    return this.#active;
  }

  /** The competitor has an attempt to start, now or when there is a permit. */
  enter(competitor: Competitor): void {
    this.#waiting.add(competitor);
    this.#serve();
  }

  /** Starts no more attempts; resolves when those in flight have finished. */
  async drain(): Promise<void> {
    this.#waiting.clear();
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #serve(): void {
    // An attempt that starts may enter other competitors.
    if (this.#isServing) return;
    this.#isServing = true;
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next);
      if (next.active < this.#limits.perReceiver && next.mayStart()) this.#start(next);
    }
    this.#isServing = false;
  }

  #next(): Competitor | undefined {
    const { total, spare = 0, perOwner = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#active >= total + spare) return undefined;
    let busy: Competitor | undefined;
    for (const competitor of this.#waiting) {
      if ((this.#activeOfOwner.get(competitor.owner) ?? 0) >= perOwner) continue;
      if (competitor.active === 0) return competitor;
      busy ??= competitor;
    }
    return this.#active < total ? busy : undefined;
  }

  #start(competitor: Competitor): void {
    this.#count(competitor, 1);
    void competitor.start().finally(() => {
      this.#count(competitor, -1);
      // Once idle, it comes after those that have been idle for longer.
      if (competitor.active === 0) this.#waiting.delete(competitor);
      if (this.#active === 0) for (const resolve of this.#idle.splice(0)) resolve();
      competitor.ended();
      this.#serve();
    });
    // Behind those that wait already.
    this.#waiting.add(competitor);
  }

  #count(competitor: Competitor, change: 1 | -1): void {
    const { owner } = competitor;
    const ofOwner = (this.#activeOfOwner.get(owner) ?? 0) + change;
    if (ofOwner > 0) this.#activeOfOwner.set(owner, ofOwner);
    else this.#activeOfOwner.delete(owner);
    competitor.active += change;
    this.#active += change;
  }
}
