/**
 * Lets a bounded number of attempts happen at once, and lets receivers take turns: a slow one, with however many events
 * waiting, holds up nobody but itself.
 *
 * Invariant: a receiver that has nothing under way comes before those that have, and goes even when slow ones have taken
 * all places but the spare ones.
 */
export interface TurnstileLimits {
  total: number;
  perReceiver: number;
  /** Beyond `total`, for receivers that have nothing under way. */
  spare?: number;
}

export interface TurnstileQueue {
  /** What is under way; the turnstile counts it. */
  active: number;
  /** Whether one more may begin now. */
  mayBegin(): boolean;
  /** Begins the next; the promise must not reject. */
  begin(): Promise<void>;
  /** One that was under way is over: now is the time to enter again. */
  ended(): void;
}

export class Turnstile {
  readonly #limits: TurnstileLimits;
  /** Queues that may have something to begin, in the order of their turns. */
  readonly #idleTurns = new Set<TurnstileQueue>();
  readonly #busyTurns = new Set<TurnstileQueue>();
  #active = 0;
  #isServing = false;
  #idle: (() => void)[] = [];

  constructor(limits: TurnstileLimits) {
    this.#limits = limits;
  }

  get active(): number {
    return this.#active;
  }

  /** The queue has something to begin, now or when there is a place. */
  enter(queue: TurnstileQueue): void {
    this.#place(queue);
    this.#serve();
  }

  /** Begins nothing more; resolves when what is under way is over. */
  async drain(): Promise<void> {
    this.#idleTurns.clear();
    this.#busyTurns.clear();
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #place(queue: TurnstileQueue): void {
    const [its, other] = queue.active === 0 ? [this.#idleTurns, this.#busyTurns] : [this.#busyTurns, this.#idleTurns];
    other.delete(queue);
    its.add(queue);
  }

  #next(): TurnstileQueue | undefined {
    const { total, spare = 0 } = this.#limits;
    if (this.#active < total + spare) for (const queue of this.#idleTurns) return queue;
    if (this.#active < total) for (const queue of this.#busyTurns) return queue;
    return undefined;
  }

  #serve(): void {
    // What begins may enter others.
    if (this.#isServing) return;
    this.#isServing = true;
    for (let queue = this.#next(); queue; queue = this.#next()) {
      this.#idleTurns.delete(queue);
      this.#busyTurns.delete(queue);
      if (queue.active < this.#limits.perReceiver && queue.mayBegin()) this.#begin(queue);
    }
    this.#isServing = false;
  }

  #begin(queue: TurnstileQueue): void {
    queue.active++;
    this.#active++;
    void queue.begin().finally(() => {
      queue.active--;
      this.#active--;
      if (this.#active === 0) for (const resolve of this.#idle.splice(0)) resolve();
      queue.ended();
      this.#serve();
    });
    this.#place(queue);
  }
}
