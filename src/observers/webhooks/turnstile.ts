/**
 * Lets a bounded number of attempts happen at once, and lets receivers take turns: a slow one, with however many events
 * waiting, holds up nobody but itself.
 *
 * Invariants
 *  U1 a receiver that has nothing under way comes before those that have, and goes even when slow ones have taken all
 *     places but the spare ones;
 *  U2 the receivers of one owner never have all places, however many they are.
 */
export interface TurnstileLimits {
  total: number;
  perReceiver: number;
  /** Beyond `total`, for receivers that have nothing under way. */
  spare?: number;
  /** Of all receivers of one owner. */
  perOwner?: number;
}

export interface TurnstileQueue {
  readonly owner: string;
  /** What is under way; the turnstile counts it. */
  active: number;
  /** Whether one more may begin now. */
  mayBegin(): boolean;
  /** Begins the next; the promise must not reject. */
  begin(): Promise<void>;
  /** One that was under way is over: now is the time to enter again. */
  ended(): void;
}

interface Owner {
  active: number;
  /** U2: queues whose turn came when it had all it may have. */
  parked: Set<TurnstileQueue>;
}

export class Turnstile {
  readonly #limits: TurnstileLimits;
  /** Queues that may have something to begin, in the order of their turns. */
  readonly #idleTurns = new Set<TurnstileQueue>();
  readonly #busyTurns = new Set<TurnstileQueue>();
  readonly #owners = new Map<string, Owner>();
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
    for (const { parked } of this.#owners.values()) parked.clear();
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
      const owner = this.#owner(queue.owner);
      if (owner.active >= (this.#limits.perOwner ?? Number.POSITIVE_INFINITY)) owner.parked.add(queue);
      else if (queue.active < this.#limits.perReceiver && queue.mayBegin()) this.#begin(queue, owner);
      // Its place is for the next of the same owner.
      else this.#unpark(queue.owner, owner);
    }
    this.#isServing = false;
  }

  #owner(name: string): Owner {
    let owner = this.#owners.get(name);
    if (!owner) {
      owner = { active: 0, parked: new Set() };
      this.#owners.set(name, owner);
    }
    return owner;
  }

  #unpark(name: string, owner: Owner): void {
    const [queue] = owner.parked;
    if (queue) {
      owner.parked.delete(queue);
      this.#place(queue);
    } else if (owner.active === 0) this.#owners.delete(name);
  }

  #begin(queue: TurnstileQueue, owner: Owner): void {
    queue.active++;
    owner.active++;
    this.#active++;
    void queue.begin().finally(() => {
      queue.active--;
      owner.active--;
      this.#active--;
      this.#unpark(queue.owner, owner);
      if (this.#active === 0) for (const resolve of this.#idle.splice(0)) resolve();
      queue.ended();
      this.#serve();
    });
    this.#place(queue);
  }
}
