/**
 * Delivers webhook events from the outbox to their receivers. The outbox stores the events, and announces when more may
 * be sent; after a restart delivery resumes from there. Neighbours: `receiver.ts` loads and sends the events of one
 * receiver, `lines.ts` limits the wait for a failing predecessor, `pauses.ts` holds the events of a call, `attempt.ts`
 * makes one attempt, `fair-semaphore.ts` limits concurrent attempts.
 *
 * Invariants
 *  - At least once: an event leaves the outbox when its receiver has accepted it (2xx), or becomes a dead letter after
 *    its last retry, never before the retry schedule allows.
 *  - The events of one order key are sent in order, one at a time. While its call is live, however, an event waits at
 *    most ten seconds for a failing predecessor, which is then retried outside of the line.
 *  - No event of a line is sent while its key is paused.
 *  - A receiver, whatever it does, delays only its own events.
 *  - This process does not resend an accepted event because the acceptance could not be written.
 */
import { type ClosableClock, closableClock, type Timer } from '../../../base/core/clock.ts';
import type { AttemptParts } from './attempt.ts';
import { FairSemaphore, type SemaphoreLimits } from './fair-semaphore.ts';
import type { Sender } from './http-sender.ts';
import { InFlightReads } from './in-flight-reads.ts';
import { Lines, type LivenessParts } from './lines.ts';
import { type MonotonicTime, monotonicTime } from './monotonic-time.ts';
import type { DeadLetterCursor, DeliveryArrival, Outbox, QueuedDelivery } from './outbox.ts';
import { Pauses } from './pauses.ts';
import { Receiver, type ReceiverParts, type ReceiverView } from './receiver.ts';
import type { ReceiverOwnership } from './receiver-ownership.ts';
import type { WebhookReadings } from './webhook-figures.ts';

export interface WebhookDispatcherParts extends AttemptParts, LivenessParts {
  outbox: Outbox;
  /** Closed by `stop`. */
  sender: Sender;
  limits?: SemaphoreLimits;
  /** Absent if this process sends to all receivers, and is the only writer of the outbox. */
  ownership?: ReceiverOwnership;
}

const LIMITS: SemaphoreLimits = { total: 256, perReceiver: 32, spare: 256, perOwner: 384 };
/** Delay after a failed read of the outbox. */
const REREAD_MS = 5000;
/** Poll interval if other nodes write to the outbox, because their hints may get lost. */
const POLL_MS = 1000;
/** Number of dead letters that are requeued per transaction. */
const BATCH = 200;

export class WebhookDispatcher {
  readonly #parts: WebhookDispatcherParts;
  /** Clock of all timers, closed by `stop`. */
  readonly #clock: ClosableClock;
  readonly #time: MonotonicTime;
  readonly #semaphore: FairSemaphore;
  readonly #pauses: Pauses;
  readonly #reads = new InFlightReads();
  readonly #lines: Lines;
  readonly #inMemory = { count: 0 };
  /** Receivers with pending events. */
  readonly #receivers = new Map<string, Receiver>();
  readonly #receiverParts: ReceiverParts;
  readonly #unsubscribe: ((() => void) | undefined)[] = [];
  /** Set after a failed read of the outbox, or if other nodes write to it. */
  #pollTimer: Timer | undefined;
  #isRunning = false;

  constructor(parts: WebhookDispatcherParts) {
    this.#parts = parts;
    this.#clock = closableClock(parts.clock);
    this.#time = monotonicTime(this.#clock);
    this.#semaphore = new FairSemaphore(parts.limits ?? LIMITS);
    this.#pauses = new Pauses(this.#time);
    this.#lines = new Lines({
      ...parts,
      time: this.#time,
      reads: this.#reads,
      isDown: (receiver) => this.#receivers.get(receiver)?.circuit.state === 'open',
      replace: (next) => this.#offer(next, true),
      onPassed: (head, next) => this.#onPassed(head, next),
    });
    this.#receiverParts = {
      ...parts,
      time: this.#time,
      semaphore: this.#semaphore,
      lines: this.#lines,
      pauses: this.#pauses,
      reads: this.#reads,
      inMemory: this.#inMemory,
      isMine: (receiver) => this.#isMine(receiver),
      wake: (receivers) => this.#wake(receivers),
      onIdle: (receiver) => this.#removeIdle(receiver),
    };
  }

  /** Starts to deliver the events in the outbox and all later ones. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { outbox, ownership } = this.#parts;
    this.#unsubscribe.push(
      outbox.subscribe((arrived) => {
        for (const arrival of arrived) this.#arrived(arrival);
      }),
      outbox.onWake?.((receivers) => this.#wake(receivers)),
      ownership?.onChange((receivers) => (receivers ? this.#wake(receivers) : this.#wakeAll())),
    );
    this.#wakeAll();
  }

  /** Starts no further attempts; resolves when those in flight are finished and recorded. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe?.();
    this.#clock.close();
    await this.#semaphore.drain();
    await this.#parts.ownership?.leave();
    await this.#parts.sender.close();
  }

  /** Holds the events of a key until the returned function is called (once or more), for at most ten seconds. */
  pause(orderKey: string): () => void {
    return this.#pauses.start(orderKey);
  }

  /** Requeues a dead letter and enables its URL. False if the dead letter does not exist. */
  async requeue(id: string): Promise<boolean> {
    const { outbox } = this.#parts;
    const letter = await outbox.findDeadLetter(id);
    if (!letter) return false;
    await outbox.enableUrl(letter.projectId, letter.url);
    if (!(await outbox.requeue(id, this.#time.now()))) return false;
    this.#requeued(letter.receiver);
    return true;
  }

  /**
   * Requeues the dead letters of a project whose URLs begin with the prefix, those of each call in order; resolves to
   * how many. Works in batches, without dead letters created meanwhile.
   */
  async requeueAll(projectId: string, urlPrefix = ''): Promise<number> {
    const query = { projectId, urlPrefix, deadByMs: this.#time.now(), limit: BATCH };
    let count = 0;
    let after: DeadLetterCursor | undefined;
    do {
      const requeued = await this.#parts.outbox.requeueAll({ ...query, after, dueMs: this.#time.now() });
      count += requeued.count;
      after = requeued.next;
      for (const receiver of requeued.receivers) this.#requeued(receiver);
    } while (after);
    return count;
  }

  /** Drops deliveries that were deleted from the outbox; attempts in flight finish. */
  forget(ids: readonly string[]): void {
    if (ids.length === 0) return;
    for (const id of ids) this.#reads.invalidate(id);
    for (const receiver of this.#receivers.values()) receiver.forget(ids);
    this.#lines.changed();
    this.#wakeAll();
  }

  /** Receivers with pending events or attempts in flight. */
  receivers(): Promise<ReceiverView[]> {
    return Promise.all([...this.#receivers.values()].map((receiver) => receiver.view()));
  }

  /** Counts for metrics. */
  async counts(): Promise<WebhookReadings> {
    const { outbox } = this.#parts;
    const circuitsOpen = [...this.#receivers.values()].filter(({ circuit }) => circuit.state === 'open').length;
    const nowMs = this.#time.now();
    const oldestMs = Math.max(0, nowMs - ((await outbox.oldestCreatedMs()) ?? nowMs));
    return { ...(await outbox.counts()), inFlight: this.#semaphore.active, circuitsOpen, oldestMs };
  }

  /** Items in memory, which do not depend on the size of the outbox. */
  inMemory(): { receivers: number; deliveries: number; timeouts: number } {
    return { receivers: this.#receivers.size, deliveries: this.#inMemory.count, timeouts: this.#lines.timeouts };
  }

  /** True if this process serves the receiver. */
  #isMine(receiver: string): boolean {
    return this.#isRunning && (this.#parts.ownership?.isMine(receiver) ?? true);
  }

  #receiver(key: string): Receiver {
    let receiver = this.#receivers.get(key);
    if (!receiver) {
      receiver = new Receiver(key, this.#receiverParts);
      this.#receivers.set(key, receiver);
    }
    return receiver;
  }

  #removeIdle(receiver: Receiver): void {
    const { key } = receiver;
    // An idle receiver may report it once more after another has replaced it.
    if (this.#receivers.get(key) !== receiver) return;
    this.#receivers.delete(key);
    this.#parts.ownership?.finished(key);
  }

  #arrived(arrival: DeliveryArrival): void {
    if (!arrival.isSendable) this.#lines.joined(arrival, this.#isMine(arrival.receiver));
    // A head that was just committed is the only delivery of its line.
    else if (this.#offer(arrival)) this.#lines.keep(arrival, []);
  }

  #onPassed(head: QueuedDelivery, next: QueuedDelivery | undefined): void {
    this.#reads.invalidate(head.id);
    this.#receivers.get(head.receiver)?.onPassed(head);
    if (next) this.#offer(next);
  }

  /** Hands a delivery that may be sent to its receiver, or wakes the node that serves it. True if it is in memory now. */
  #offer(delivery: QueuedDelivery, isReplacement?: boolean): boolean {
    const { receiver } = delivery;
    if (this.#isMine(receiver)) return this.#receiver(receiver).offer(delivery, isReplacement);
    const wakeOther = (): void => this.#parts.outbox.wake?.(receiver);
    if (!this.#pauses.defer(delivery, wakeOther)) wakeOther();
    return false;
  }

  /** Wakes all receivers with pending events. */
  #wakeAll(): void {
    if (!this.#isRunning) return;
    this.#parts.outbox.receivers().then(
      (receivers) => {
        this.#wake([...receivers, ...this.#receivers.keys()]);
        if (this.#parts.ownership) this.#pollIn(POLL_MS);
      },
      (error: unknown) => {
        this.#parts.log.error('outbox.unreadable', { error });
        this.#pollIn(REREAD_MS);
      },
    );
  }

  #wake(receivers: Iterable<string>): void {
    const nowMs = this.#time.now();
    for (const key of receivers) if (this.#receivers.has(key) || this.#isMine(key)) this.#receiver(key).wakeAt(nowMs);
  }

  #pollIn(delayMs: number): void {
    this.#pollTimer ??= this.#clock.after(delayMs, () => {
      this.#pollTimer = undefined;
      this.#wakeAll();
    });
  }

  #requeued(receiver: string): void {
    this.#receiver(receiver).circuit.reset(this.#time.now());
    this.#lines.changed();
    this.#wake([receiver]);
  }
}
