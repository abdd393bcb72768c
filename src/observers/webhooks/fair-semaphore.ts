/**
 * Limits how many attempts are under way at once. Receivers take turns, so that a slow one delays only itself, however
 * many events wait for it.
 *
 * Invariants
 *  - a receiver with nothing under way goes before those that have something, and may use the spare permits as well;
 *  - the receivers of one owner never hold all permits, however many they are.
 */
export interface SemaphoreLimits {
  total: number;
  perReceiver: number;
  /** Beyond `total`, for receivers that have nothing under way. */
  spare?: number;
  /** Of all receivers of one owner. */
  perOwner?: number;
}

export interface Competitor {
  readonly owner: string;
  /** Attempts under way; the semaphore counts them. */
  active: number;
  /** Whether one more may begin now. */
  mayBegin(): boolean;
  /** Begins the next; the promise must not reject. */
  begin(): Promise<void>;
  /** An attempt is over: now is the time to enter again. */
  ended(): void;
}

export class FairSemaphore {
  readonly #limits: SemaphoreLimits;
  /** Those that may have something to begin, in the order of their turns. */
  readonly #waiting = new Set<Competitor>();
  readonly #activeOfOwner = new Map<string, number>();
  #active = 0;
  #isServing = false;
  #idle: (() => void)[] = [];

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  get active(): number {
    return this.#active;
  }

  /** The competitor has something to begin, now or when there is a permit. */
  enter(competitor: Competitor): void {
    this.#waiting.add(competitor);
    this.#serve();
  }

  /** Begins nothing more; resolves when what is under way is over. */
  async drain(): Promise<void> {
    this.#waiting.clear();
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #serve(): void {
    // What begins may enter others.
    if (this.#isServing) return;
    this.#isServing = true;
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next);
      if (next.active < this.#limits.perReceiver && next.mayBegin()) this.#begin(next);
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

  #begin(competitor: Competitor): void {
    this.#count(competitor, 1);
    void competitor.begin().finally(() => {
      this.#count(competitor, -1);
      // Idle again, it comes after those that have been idle for longer.
      if (competitor.active === 0) this.#waiting.delete(competitor);
      if (this.#active === 0) for (const resolve of this.#idle.splice(0)) resolve();
      competitor.ended();
      this.#serve();
    });
    // After those that wait already.
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
