/**
 * Order of deliveries: those of one order key form a line, and are sent one at a time. When its head has left the
 * outbox, the next one takes its place. While the call is live, however, it waits at most ten seconds for a failing
 * head, which then leaves the line and is retried outside of it.
 *
 * Invariants
 *  - One timer per live call with an event that waits for a predecessor.
 *  - Deliveries behind a head are only kept while it is in memory.
 */
import type { Timer } from '../../../base/core/clock.ts';
import type { Log } from '../../../base/core/log.ts';
import type { InFlightReads } from './in-flight-reads.ts';
import type { MonotonicTime } from './monotonic-time.ts';
import type { Outbox, QueuedDelivery } from './outbox.ts';
import type { ReceiverOwnership } from './receiver-ownership.ts';

export interface LivenessParts {
  /** True if the call of this order key is live on this node. */
  isLive(orderKey: string): boolean;
  /**
   * Present if nodes share the outbox: true if another node carries the call. This node does not see its events arrive.
   */
  isLiveElsewhere?(orderKey: string): Promise<boolean>;
}

export interface LinesParts extends LivenessParts {
  outbox: Pick<Outbox, 'headOfLine' | 'leaveLine'>;
  reads: InFlightReads;
  time: MonotonicTime;
  log: Log;
  /** Present if other nodes write to the outbox too. */
  ownership?: Pick<ReceiverOwnership, 'isMine'>;
  /** True if nothing can be sent to the receiver. */
  isDown(receiver: string): boolean;
  /** Offers a delivery in place of its predecessor. True if it is in memory now. */
  replace(next: QueuedDelivery): boolean;
  /** The outbox has moved this head out of its line: the next delivery may be sent. */
  onPassed(head: QueuedDelivery, next: QueuedDelivery | undefined): void;
}

interface Line {
  /** In memory. */
  head: QueuedDelivery;
  /** All deliveries behind the head. */
  behind: QueuedDelivery[];
}

const HEAD_OF_LINE_MS = 10_000;
/** Maximum deliveries kept behind each head. */
const MAX_BEHIND = 8;

export class Lines {
  readonly #parts: LinesParts;
  /** Head-of-line timers, by order key. */
  readonly #timers = new Map<string, Timer>();
  /**
   * Lines of which all deliveries are known, by order key. Without them each event needs a read of its line, and `npm
   * run bench -- webhooks` delivers a fifth less. Not kept if other nodes write to the lines.
   */
  readonly #lines = new Map<string, Line>();
  readonly #maxBehind: number;
  /** Count of changes that may concern a line that is being read. */
  #changes = 0;

  constructor(parts: LinesParts) {
    this.#parts = parts;
    this.#maxBehind = parts.ownership ? 0 : MAX_BEHIND;
  }

  /** Count of running head-of-line timers. */
  get timeouts(): number {
    return this.#timers.size;
  }

  /** A head is in memory; `behind` are all others of its line. */
  keep(head: QueuedDelivery, behind: QueuedDelivery[]): void {
    if (behind.length < this.#maxBehind) this.#lines.set(head.orderKey, { head, behind });
  }

  /** A head has left memory, but not the outbox. */
  release(head: QueuedDelivery): void {
    if (this.#lines.get(head.orderKey)?.head === head) this.#lines.delete(head.orderKey);
  }

  /** A delivery was committed behind others of its line. */
  joined(delivery: QueuedDelivery, isMine: boolean): void {
    const { orderKey } = delivery;
    if (isMine) this.#startTimer(orderKey, this.#parts.time.now());
    this.#changes += 1;
    const behind = this.#lines.get(orderKey)?.behind;
    if (behind && behind.length < this.#maxBehind) behind.push(delivery);
    else this.#lines.delete(orderKey);
  }

  /** Deliveries were requeued, or deleted from the outbox. */
  changed(): void {
    this.#changes += 1;
    this.#lines.clear();
  }

  /** The head has left the outbox: resolves when the next delivery of its line has taken its place. */
  async advance(head: QueuedDelivery): Promise<void> {
    const { orderKey } = head;
    const line = this.#lines.get(orderKey);
    // The next delivery was committed before this one was seen to have left: it is the head already.
    if (line && line.head !== head) return;
    this.#cancelTimer(orderKey);
    this.#lines.delete(orderKey);
    const changes = this.#changes;
    const [next, ...behind] = line?.behind ?? (await this.#firstOf(orderKey, this.#maxBehind + 1));
    if (next && this.#parts.replace(next) && changes === this.#changes) this.keep(next, behind);
  }

  /** The head of a line will be retried; its attempt started at `startedMs`. */
  async failed({ orderKey, attempts }: QueuedDelivery, startedMs: number): Promise<void> {
    if (!this.#mayBeLive(orderKey)) return;
    // Until its first failure there was no sign that the head would fail.
    if (attempts === 0) this.#cancelTimer(orderKey);
    const [head, next] = await this.#firstTwo(orderKey);
    if (next) this.#startTimer(orderKey, attempts === 0 ? Math.max(next.createdMs, startedMs) : next.createdMs);
    else if (head && this.#parts.isLiveElsewhere) this.#startTimer(orderKey, this.#parts.time.now());
  }

  /** The second delivery of the line has waited since `sinceMs`. */
  #startTimer(orderKey: string, sinceMs: number): void {
    const { time } = this.#parts;
    if (this.#timers.has(orderKey) || !this.#mayBeLive(orderKey)) return;
    const leftMs = Math.min(HEAD_OF_LINE_MS, Math.max(0, sinceMs + HEAD_OF_LINE_MS - time.now()));
    const timer = time.after(leftMs, () => {
      this.#timers.delete(orderKey);
      void this.#timedOut(orderKey);
    });
    this.#timers.set(orderKey, timer);
  }

  #cancelTimer(orderKey: string): void {
    this.#timers.get(orderKey)?.cancel();
    this.#timers.delete(orderKey);
  }

  /** Lets the successors pass the head, even while an attempt of it is in flight. */
  async #timedOut(orderKey: string): Promise<void> {
    const { time, isLiveElsewhere, isDown } = this.#parts;
    const [head, next] = (await this.#isLiveAnywhere(orderKey)) ? await this.#firstTwo(orderKey) : [];
    if (!head) return;
    const nowMs = time.now();
    // An event that arrived after the failure has not waited for as long.
    const nextMs = isLiveElsewhere && head.attempts > 0 ? (next?.createdMs ?? nowMs) : 0;
    if (nextMs + HEAD_OF_LINE_MS > nowMs) return this.#startTimer(orderKey, nextMs);
    if (!next) return;
    // Passing would not help while neither can be sent; afterwards the head may be sent first again.
    if (isDown(head.receiver) && next.receiver === head.receiver) return this.#startTimer(orderKey, nowMs);
    if (head.attempts > 0 || isDown(head.receiver)) await this.#pass(head);
  }

  async #pass(head: QueuedDelivery): Promise<void> {
    const { outbox, onPassed, log } = this.#parts;
    try {
      await outbox.leaveLine(head.id);
      this.#lines.delete(head.orderKey);
      const [next] = await this.#firstOf(head.orderKey, 1);
      onPassed(head, next);
    } catch (error) {
      log.error('delivery.unrecorded', { deliveryId: head.id, error });
    }
  }

  async #firstTwo(orderKey: string): Promise<QueuedDelivery[]> {
    try {
      return await this.#firstOf(orderKey, 2);
    } catch (error) {
      this.#parts.log.error('outbox.unreadable', { error });
      return [];
    }
  }

  /** First deliveries of a line in the outbox. Reads again if one of them was sent or deleted meanwhile. */
  async #firstOf(orderKey: string, count: number): Promise<QueuedDelivery[]> {
    const { reads, outbox } = this.#parts;
    for (;;) {
      const { reply, outdated } = await reads.read(() => outbox.headOfLine(orderKey, count));
      if (!reply.some(({ id }) => outdated.has(id))) return reply;
    }
  }

  /** Answer that is available without asking other nodes. */
  #mayBeLive(orderKey: string): boolean {
    const { isLive, isLiveElsewhere } = this.#parts;
    return isLiveElsewhere !== undefined || isLive(orderKey);
  }

  async #isLiveAnywhere(orderKey: string): Promise<boolean> {
    const { isLive, isLiveElsewhere, log } = this.#parts;
    if (isLive(orderKey)) return true;
    try {
      return (await isLiveElsewhere?.(orderKey)) ?? false;
    } catch (error) {
      log.error('outbox.unreadable', { error });
      return false;
    }
  }
}
