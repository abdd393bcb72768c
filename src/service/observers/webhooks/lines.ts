/**
 * Order of deliveries: those of one order key form a line, and are sent one at a time. When the head of a line is gone,
 * the next one takes its place in memory, if possible without a read of the outbox. While the call is live, however, it
 * waits at most ten seconds for a failing head, which then leaves the line and is retried outside of it. Neighbours:
 * `pauses.ts` holds the events of a key, `in-flight-reads.ts` detects outdated replies of the outbox.
 *
 * Invariant: one timer per live call with an event that waits for a predecessor.
 */
import type { Timer } from '../../../base/core/clock.ts';
import { InFlightReads } from './in-flight-reads.ts';
import { isLiveAnywhere, type LivenessParts, mayBeLive } from './liveness.ts';
import type { MonotonicTime } from './monotonic-time.ts';
import type { DeliveryArrival, Outbox, QueuedDelivery } from './outbox.ts';
import { Pauses } from './pauses.ts';
import type { ReceiverOwnership } from './receiver-ownership.ts';

export interface LinesParts extends LivenessParts {
  outbox: Pick<Outbox, 'headOfLine' | 'leaveLine'>;
  time: MonotonicTime;
  /** Present if other nodes write to the outbox too. */
  ownership?: Pick<ReceiverOwnership, 'isMine'>;
  /** True if nothing can be sent to the receiver. */
  isDown(receiver: string): boolean;
  /** Hands a delivery that may be sent to its receiver. */
  offer(delivery: QueuedDelivery): void;
}

interface Line {
  head: QueuedDelivery;
  /** All deliveries behind the head. Undefined if unknown. */
  behind?: QueuedDelivery[] | undefined;
  /** True if a delivery was committed or requeued since the line was last read. */
  hasGrown: boolean;
}

const HEAD_OF_LINE_MS = 10_000;
/** Deliveries kept in memory behind each head. */
const MAX_BEHIND = 8;

export class Lines {
  readonly #parts: LinesParts;
  readonly #pauses: Pauses;
  readonly #reads = new InFlightReads();
  /** Lines whose head is in memory, by order key. */
  readonly #lines = new Map<string, Line>();
  /** Head-of-line timers, by order key. */
  readonly #timers = new Map<string, Timer>();
  #inMemory = 0;
  #isClosed = false;

  constructor(parts: LinesParts) {
    this.#parts = parts;
    this.#pauses = new Pauses(parts.time);
  }

  /** Count of deliveries in memory, of all receivers, in line or outside of it. */
  get inMemory(): number {
    return this.#inMemory;
  }

  /** Count of running head-of-line timers. */
  get timeouts(): number {
    return this.#timers.size;
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#pauses.close();
  }

  /** Holds the events of a key until the returned function is called (once or more), for at most ten seconds. */
  pause(orderKey: string): () => void {
    return this.#pauses.start(orderKey);
  }

  /** Keeps `resume` for the end of the pause. False if the delivery is not paused. */
  defer({ inLine, orderKey }: QueuedDelivery, resume: () => void): boolean {
    return inLine && this.#pauses.defer(orderKey, resume);
  }

  /** True if a head is in memory: the delivery that follows takes its place. */
  hasHead(orderKey: string): boolean {
    return this.#lines.has(orderKey);
  }

  /** A delivery was committed, and offered if it may be sent. */
  arrived(arrival: DeliveryArrival): void {
    const { id, orderKey, receiver, isSendable } = arrival;
    const { ownership, time } = this.#parts;
    if (!isSendable && (ownership?.isMine(receiver) ?? true)) this.#startTimer(orderKey, time.now());
    const line = this.#lines.get(orderKey);
    if (!line) return;
    line.hasGrown = true;
    const { head, behind } = line;
    // A head that was just committed is the only delivery of its line.
    if (isSendable) line.behind = head === arrival && !ownership ? [] : undefined;
    else if (behind && head.id !== id && !behind.some((one) => one.id === id))
      line.behind = behind.length < MAX_BEHIND ? [...behind, arrival] : undefined;
  }

  /** Deliveries were requeued, or deleted from the outbox. */
  changed(deleted: Iterable<string> = []): void {
    for (const id of deleted) this.#reads.left(id);
    for (const line of this.#lines.values()) {
      line.behind = undefined;
      line.hasGrown = true;
    }
  }

  /** A receiver has taken the delivery into memory. */
  taken(delivery: QueuedDelivery): void {
    this.#inMemory += 1;
    const { id, inLine, orderKey } = delivery;
    if (!inLine) return;
    const [next, ...behind] = this.#lines.get(orderKey)?.behind ?? [];
    this.#lines.set(orderKey, { head: delivery, behind: next?.id === id ? behind : undefined, hasGrown: false });
  }

  /** A receiver has removed the delivery from memory. */
  released(delivery: QueuedDelivery): void {
    this.#inMemory -= 1;
    this.#reads.left(delivery.id);
    if (this.#lines.get(delivery.orderKey)?.head === delivery) this.#lines.delete(delivery.orderKey);
  }

  /** A delivery has left the outbox: resolves when the next one of its line has replaced it in memory. */
  async gone(delivery: QueuedDelivery): Promise<void> {
    // Before its successor replaces it: an earlier read must not bring it back.
    this.#reads.left(delivery.id);
    try {
      if (delivery.inLine) await this.#offerNext(delivery);
    } finally {
      this.released(delivery);
    }
  }

  /** The head of a line will be retried; its attempt started at `startedMs`. */
  failed({ orderKey, attempts }: QueuedDelivery, startedMs: number): void {
    if (!mayBeLive(this.#parts, orderKey)) return;
    // Until its first failure there was no sign that the head would fail.
    if (attempts === 0) this.#cancelTimer(orderKey);
    void this.#firstTwo(orderKey).then(([head, next]) => {
      if (next) this.#startTimer(orderKey, attempts === 0 ? Math.max(next.createdMs, startedMs) : next.createdMs);
      else if (head && this.#parts.isLiveElsewhere) this.#startTimer(orderKey, this.#parts.time.now());
    });
  }

  /** The next delivery may be for another receiver. */
  async #offerNext(head: QueuedDelivery): Promise<void> {
    const { orderKey } = head;
    this.#cancelTimer(orderKey);
    const line = this.#lines.get(orderKey);
    if (this.#isClosed || line?.head !== head) return;
    const [next] = line.behind ?? (await this.#readBehind(line));
    if (next && this.#lines.get(orderKey) === line) this.#parts.offer(next);
  }

  /** Reads the deliveries behind a head that has left the outbox. */
  async #readBehind(line: Line): Promise<QueuedDelivery[]> {
    line.hasGrown = false;
    const found = await this.#firstOf(line.head.orderKey, MAX_BEHIND);
    // If the outbox is shared, other nodes may write to the line.
    if (found.length < MAX_BEHIND && !line.hasGrown && !this.#parts.ownership) line.behind = found;
    return found;
  }

  /** The second delivery of the line has waited since `sinceMs`. */
  #startTimer(orderKey: string, sinceMs: number): void {
    const { time } = this.#parts;
    if (this.#isClosed || this.#timers.has(orderKey) || !mayBeLive(this.#parts, orderKey)) return;
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
    const { outbox, log, time, isLiveElsewhere, isDown } = this.#parts;
    const [head, next] = (await isLiveAnywhere(this.#parts, orderKey)) ? await this.#firstTwo(orderKey) : [];
    if (!head) return;
    const nowMs = time.now();
    // An event that arrived after the failure has not waited for as long.
    const nextMs = isLiveElsewhere && head.attempts > 0 ? (next?.createdMs ?? nowMs) : 0;
    if (nextMs + HEAD_OF_LINE_MS > nowMs) return this.#startTimer(orderKey, nextMs);
    if (!next) return;
    // Passing would not help while neither can be sent; afterwards the head may be sent first again.
    if (isDown(head.receiver) && next.receiver === head.receiver) return this.#startTimer(orderKey, nowMs);
    if (head.attempts === 0 && !isDown(head.receiver)) return;
    try {
      await outbox.leaveLine(head.id);
      await this.#pass(head);
    } catch (error) {
      log.error('delivery.unrecorded', { deliveryId: head.id, error });
    }
  }

  /** The outbox has moved the head out of its line: the next delivery may be sent. */
  async #pass({ id, orderKey }: QueuedDelivery): Promise<void> {
    const head = this.#lines.get(orderKey)?.head;
    if (this.#isClosed || (head && head.id !== id)) return;
    if (head) {
      this.#lines.delete(orderKey);
      this.#reads.left(id);
      head.inLine = false;
      // A pause does not apply outside of the line.
      this.#pauses.release(orderKey);
    }
    const [next] = await this.#firstOf(orderKey, 1);
    if (next && !this.#lines.has(orderKey)) this.#parts.offer(next);
  }

  async #firstTwo(orderKey: string): Promise<QueuedDelivery[]> {
    try {
      return await this.#firstOf(orderKey, 2);
    } catch (error) {
      this.#parts.log.error('outbox.unreadable', { error });
      return [];
    }
  }

  /** First deliveries of a line in the outbox. Reads again if one of them has left it meanwhile. */
  async #firstOf(orderKey: string, count: number): Promise<QueuedDelivery[]> {
    for (;;) {
      const { found, left } = await this.#reads.read(() => this.#parts.outbox.headOfLine(orderKey, count));
      if (!found.some(({ id }) => left.has(id))) return found;
    }
  }
}
