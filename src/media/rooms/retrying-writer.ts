/**
 * Queue of writes that may fail for a while because the disk is full. Failed writes are held, and retried in order with
 * the next write or after a pause. Participants are not affected. An item that the store itself rejects does not delay
 * the others: it is retried `MAX_ATTEMPTS` times, then dropped and reported.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import { WriteError } from '../../base/core/write-error.ts';

const RETRY_MS = 5000;
/** Maximum number of held writes. Further ones are dropped and reported. */
const MAX_HELD = 10_000;
/** Maximum attempts for an item that fails although the store is writable. */
const MAX_ATTEMPTS = 12;
/** Failed items after which the rest waits for the next retry: the store may be unavailable for an unknown reason. */
const MAX_FAILURES_AT_ONCE = 20;

export interface RetryingWriterParts<Item> {
  clock: Clock;
  /** Throws if the write fails: a `WriteError` if the store is not writable, another error if the item is invalid. */
  write(item: Item): void;
  /** Called once at the first failure, and once for each item that is lost. */
  failed(error: unknown, lost: Item | undefined): void;
}

interface HeldItem<Item> {
  item: Item;
  /** Attempts that failed because of the item. */
  attempts: number;
}

export class RetryingWriter<Item> {
  readonly #parts: RetryingWriterParts<Item>;
  readonly #held: HeldItem<Item>[] = [];
  #timer: Timer | undefined;

  constructor(parts: RetryingWriterParts<Item>) {
    this.#parts = parts;
  }

  add = (item: Item): void => {
    this.#held.push({ item, attempts: 0 });
    if (this.#timer === undefined || this.#held.length > MAX_HELD) this.#flush();
  };

  #flush(): void {
    const { clock, failed } = this.#parts;
    const wasWaiting = this.#timer !== undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
    const error = this.#writeHeld();
    if (this.#held.length === 0) return;
    const lost = this.#held.length > MAX_HELD ? this.#held.pop() : undefined;
    if (lost || !wasWaiting) failed(error, lost?.item);
    this.#timer = clock.after(RETRY_MS, () => this.#flush());
  }

  /** Writes what can be written, and keeps the rest in order. Returns the first error. */
  #writeHeld(): unknown {
    const { write, failed } = this.#parts;
    const errors: unknown[] = [];
    let isStopped = false;
    for (const held of this.#held.splice(0)) {
      if (isStopped) {
        this.#held.push(held);
        continue;
      }
      try {
        write(held.item);
      } catch (error) {
        errors.push(error);
        const isStoreAway = error instanceof WriteError;
        isStopped = isStoreAway || errors.length >= MAX_FAILURES_AT_ONCE;
        if (!isStoreAway && ++held.attempts >= MAX_ATTEMPTS) failed(error, held.item);
        else this.#held.push(held);
      }
    }
    return errors[0];
  }

  /** Retries once; items that still fail are lost. */
  close(): void {
    this.#flush();
    this.#timer?.cancel();
    for (const { item } of this.#held.splice(0)) this.#parts.failed(new Error('it was never written'), item);
  }
}
