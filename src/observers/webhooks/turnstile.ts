/**
 * Lets a bounded number of attempts happen at once, in total and to each receiver, and lets receivers take turns: a slow
 * one, with however many events waiting, holds up nobody but itself.
 */
export interface TurnstileLimits {
  total: number;
  perReceiver: number;
}

interface Receiver {
  name: string;
  active: number;
  waiting: Set<() => Promise<void>>;
}

export class Turnstile {
  readonly #limits: TurnstileLimits;
  readonly #receivers = new Map<string, Receiver>();
  /** Receivers that have something waiting and room for it, in the order of their turns. */
  readonly #turns = new Set<Receiver>();
  #active = 0;
  #idle: (() => void)[] = [];

  constructor(limits: TurnstileLimits) {
    this.#limits = limits;
  }

  /** Runs `task`, now or later; it must not reject. */
  enter(name: string, task: () => Promise<void>): void {
    let receiver = this.#receivers.get(name);
    if (!receiver) {
      receiver = { name, active: 0, waiting: new Set() };
      this.#receivers.set(name, receiver);
    }
    receiver.waiting.add(task);
    this.#queue(receiver);
    this.#serve();
  }

  /** Forgets what waits; resolves when what is under way is over. */
  async drain(): Promise<void> {
    this.#turns.clear();
    for (const receiver of this.#receivers.values()) receiver.waiting.clear();
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #queue(receiver: Receiver): void {
    if (receiver.waiting.size > 0 && receiver.active < this.#limits.perReceiver) this.#turns.add(receiver);
  }

  #serve(): void {
    while (this.#active < this.#limits.total) {
      const [receiver] = this.#turns;
      if (!receiver) return;
      this.#turns.delete(receiver);
      const [task] = receiver.waiting;
      receiver.waiting.delete(task!);
      receiver.active++;
      this.#active++;
      this.#queue(receiver);
      void task!().finally(() => this.#left(receiver));
    }
  }

  #left(receiver: Receiver): void {
    receiver.active--;
    this.#active--;
    this.#queue(receiver);
    if (receiver.active === 0 && receiver.waiting.size === 0) this.#receivers.delete(receiver.name);
    if (this.#active === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#serve();
  }
}
