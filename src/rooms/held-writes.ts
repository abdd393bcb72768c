/**
 * Writes that may fail for a while, because the disk is full: what was not written is held, and tried again in its order
 * with the next one, or after a moment. Nobody in a room notices.
 */
import type { Clock, Timer } from '../core/clock.ts';

const RETRY_MS = 5000;
/** Later ones are lost, and reported. */
const MAX_HELD = 10_000;

export interface HeldWritesParts<Item> {
  clock: Clock;
  /** Throws where it cannot. */
  write(item: Item): void;
  /** Once for each trouble, and for each item that is lost. */
  failed(error: unknown, isLost: boolean): void;
}

export class HeldWrites<Item> {
  readonly #parts: HeldWritesParts<Item>;
  readonly #held: Item[] = [];
  #timer: Timer | undefined;

  constructor(parts: HeldWritesParts<Item>) {
    this.#parts = parts;
  }

  add = (item: Item): void => {
    this.#held.push(item);
    if (this.#timer === undefined || this.#held.length > MAX_HELD) this.#flush();
  };

  #flush(): void {
    const { clock, write, failed } = this.#parts;
    const wasWaiting = this.#timer !== undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    try {
      for (let item = this.#held[0]; item !== undefined; item = this.#held[0]) {
        write(item);
        this.#held.shift();
      }
    } catch (error) {
      const isLost = this.#held.length > MAX_HELD;
      if (isLost) this.#held.pop();
      if (isLost || !wasWaiting) failed(error, isLost);
      this.#timer = clock.after(RETRY_MS, () => this.#flush());
    }
  }

  /** Writes what it can; the rest is lost. */
  close(): void {
    this.#flush();
    this.#timer?.cancel();
    for (const _ of this.#held.splice(0)) this.#parts.failed(new Error('it was never written'), true);
  }
}
