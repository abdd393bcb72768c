import { describe, expect, it } from 'vitest';
import { type Competitor, FairSemaphore } from '../../src/service/observers/webhooks/fair-semaphore.ts';

/** Models a receiver with so many events; each is in flight until the test releases it. */
class Receiver implements Competitor {
  readonly owner: string;
  active = 0;
  started = 0;
  waiting: number;
  readonly #semaphore: FairSemaphore;
  readonly #inFlight: (() => void)[] = [];

  constructor(semaphore: FairSemaphore, owner: string, waiting: number) {
    this.#semaphore = semaphore;
    this.owner = owner;
    this.waiting = waiting;
  }

  mayStart(): boolean {
    return this.waiting > 0;
  }

  start(): Promise<void> {
    this.waiting--;
    this.started++;
    return new Promise((resolve) => this.#inFlight.push(resolve));
  }

  ended(): void {
    if (this.waiting > 0) this.#semaphore.enter(this);
  }

  async answer(): Promise<void> {
    this.#inFlight.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('receivers of one owner', () => {
  const limits = { total: 4, perReceiver: 2, spare: 4, perOwner: 6 };

  it('never uses all permits, whatever the number of receivers', () => {
    const semaphore = new FairSemaphore(limits);
    const hanging = Array.from({ length: 1000 }, () => new Receiver(semaphore, 'one', 5));
    for (const receiver of hanging) semaphore.enter(receiver);
    expect(semaphore.active).toBe(6);
    const other = new Receiver(semaphore, 'two', 1);
    semaphore.enter(other);
    expect(other.started).toBe(1);
  });

  it('gives each a permit when another of its receivers releases one', async () => {
    const semaphore = new FairSemaphore(limits);
    const receivers = Array.from({ length: 50 }, () => new Receiver(semaphore, 'one', 1));
    for (const receiver of receivers) semaphore.enter(receiver);
    while (semaphore.active > 0) {
      expect(semaphore.active).toBeLessThanOrEqual(6);
      await receivers.find(({ active }) => active > 0)!.answer();
    }
    expect(receivers.filter(({ started }) => started === 1)).toHaveLength(50);
  });

  it('pass on a permit that the next of them does not need', async () => {
    const semaphore = new FairSemaphore({ total: 1, perReceiver: 1, perOwner: 1 });
    const [first, idle, last] = [1, 1, 1].map((waiting) => new Receiver(semaphore, 'one', waiting));
    for (const receiver of [first!, idle!, last!]) semaphore.enter(receiver);
    // Its event was dropped before it got the permit.
    idle!.waiting = 0;
    await first!.answer();
    expect(last!.started).toBe(1);
  });
});
