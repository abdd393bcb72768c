/**
 * Queue of writes that may fail for a while because the disk is full. Failed writes are held, and retried in order with
 * the next write or after a pause. Participants are not affected.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';

const RETRY_MS = 5000;
/** Maximum number of held writes. Further ones are dropped and reported. */
const MAX_HELD = 10_000;

export interface RetryingWriterParts<Item> {
  clock: Clock;
  /** Throws if the write fails. */
  write(item: Item): void;
  /** Called once at the first failure, and once for each item that is lost. */
  failed(error: unknown, isLost: boolean): void;
}

export class RetryingWriter<Item> {
  readonly #parts: RetryingWriterParts<Item>;
  readonly #held: Item[] = [];
  #timer: Timer | undefined;

  constructor(parts: RetryingWriterParts<Item>) {
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

  /** Retries once; items that still fail are lost. */
  close(): void {
    this.#flush();
    this.#timer?.cancel();
    for (const _ of this.#held.splice(0)) this.#parts.failed(new Error('it was never written'), true);
  }
}
