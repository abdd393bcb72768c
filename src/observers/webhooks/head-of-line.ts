/**
 * Head-of-line timeout for live calls: an event waits at most ten seconds for a failing predecessor, which then leaves
 * the line and is retried outside of it. Neighbour: `dispatcher.ts` tracks arrivals and memory.
 *
 * Invariant: one timer per live call with an event that waits for a predecessor.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import { isLiveAnywhere, type LivenessParts, mayBeLive } from './liveness.ts';
import type { Outbox, QueuedDelivery } from './outbox.ts';

export interface HeadOfLineParts extends LivenessParts {
  outbox: Pick<Outbox, 'headOfLine' | 'leaveLine'>;
  clock: Pick<Clock, 'now' | 'after'>;
  /** True if nothing can be sent to the receiver. */
  isDown(receiver: string): boolean;
  /** Called when the outbox has moved the head out of its line. */
  leftLine(head: QueuedDelivery): Promise<void>;
}

const HEAD_OF_LINE_MS = 10_000;

export class HeadOfLine {
  readonly #parts: HeadOfLineParts;
  /** Timers by order key. */
  readonly #timers = new Map<string, Timer>();
  #isClosed = false;

  constructor(parts: HeadOfLineParts) {
    this.#parts = parts;
  }

  /** Count of running timers. */
  get size(): number {
    return this.#timers.size;
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer.cancel();
  }

  /** Starts the timer; the second delivery of the line has waited since `sinceMs`. */
  start(orderKey: string, sinceMs: number): void {
    const { clock } = this.#parts;
    if (this.#isClosed || this.#timers.has(orderKey) || !mayBeLive(this.#parts, orderKey)) return;
    const leftMs = Math.min(HEAD_OF_LINE_MS, Math.max(0, sinceMs + HEAD_OF_LINE_MS - clock.now()));
    const timer = clock.after(leftMs, () => {
      this.#timers.delete(orderKey);
      void this.#timedOut(orderKey);
    });
    this.#timers.set(orderKey, timer);
  }

  cancel(orderKey: string): void {
    this.#timers.get(orderKey)?.cancel();
    this.#timers.delete(orderKey);
  }

  /** The head will be retried; its attempt began at `startedMs`. */
  failed({ orderKey, attempts }: QueuedDelivery, startedMs: number): void {
    if (!mayBeLive(this.#parts, orderKey)) return;
    // Until its first failure there was no sign that the head would fail.
    if (attempts === 0) this.cancel(orderKey);
    void this.#twoOfLine(orderKey).then(([head, next]) => {
      if (next) this.start(orderKey, attempts === 0 ? Math.max(next.createdMs, startedMs) : next.createdMs);
      else if (head && this.#parts.isLiveElsewhere) this.start(orderKey, this.#parts.clock.now());
    });
  }

  /** Lets the successors pass the head, even while an attempt of it is in flight. */
  async #timedOut(orderKey: string): Promise<void> {
    const { outbox, log, clock, isLiveElsewhere, isDown, leftLine } = this.#parts;
    const [head, next] = (await isLiveAnywhere(this.#parts, orderKey)) ? await this.#twoOfLine(orderKey) : [];
    if (!head) return;
    const nowMs = clock.now();
    // An event that arrived after the failure has not waited for as long.
    const nextMs = isLiveElsewhere && head.attempts > 0 ? (next?.createdMs ?? nowMs) : 0;
    if (nextMs + HEAD_OF_LINE_MS > nowMs) return this.start(orderKey, nextMs);
    if (!next) return;
    if (isDown(head.receiver) && next.receiver === head.receiver) {
      // Passing would not help while neither can be sent; afterwards the head may be sent first again.
      this.start(orderKey, clock.now());
      return;
    }
    if (head.attempts === 0 && !isDown(head.receiver)) return;
    try {
      await outbox.leaveLine(head.id);
      await leftLine(head);
    } catch (error) {
      log.error('delivery.unrecorded', { deliveryId: head.id, error });
    }
  }

  async #twoOfLine(orderKey: string): Promise<QueuedDelivery[]> {
    try {
      return await this.#parts.outbox.headOfLine(orderKey, 2);
    } catch (error) {
      this.#parts.log.error('outbox.unreadable', { error });
      return [];
    }
  }
}
