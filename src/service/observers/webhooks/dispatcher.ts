/**
 * Delivers webhook events from the outbox to their receivers. The outbox stores the events, and announces when more may
 * be sent; after a restart delivery resumes from there. Neighbours: `receiver.ts` loads and sends the events of one
 * receiver, `lines.ts` keeps those of each call in order, `attempt.ts` makes one attempt, `fair-semaphore.ts` limits
 * concurrent attempts.
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
import type { Timer } from '../../../base/core/clock.ts';
import type { AttemptParts } from './attempt.ts';
import { FairSemaphore, type SemaphoreLimits } from './fair-semaphore.ts';
import type { Sender } from './http-sender.ts';
import { Lines } from './lines.ts';
import type { LivenessParts } from './liveness.ts';
import { type MonotonicTime, monotonicTime } from './monotonic-time.ts';
import type { DeadLetterCursor, DeliveryArrival, Outbox, QueuedDelivery } from './outbox.ts';
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
const LOOK_AGAIN_MS = 5000;
/** Poll interval if other nodes write to the outbox, because their hints may get lost. */
const LOOK_MS = 1000;
/** Number of dead letters that are requeued per transaction. */
const BATCH = 200;

export class WebhookDispatcher {
  readonly #parts: WebhookDispatcherParts;
  readonly #time: MonotonicTime;
  readonly #semaphore: FairSemaphore;
  readonly #lines: Lines;
  /** Receivers with pending events. */
  readonly #receivers = new Map<string, Receiver>();
  readonly #receiverParts: ReceiverParts;
  readonly #unsubscribe: (() => void)[] = [];
  /** Set after a failed read of the outbox, or if other nodes write to it. */
  #lookAgain: Timer | undefined;
  #isRunning = false;

  constructor(parts: WebhookDispatcherParts) {
    this.#parts = parts;
    this.#time = monotonicTime(parts.clock);
    this.#semaphore = new FairSemaphore(parts.limits ?? LIMITS);
    this.#lines = new Lines({
      ...parts,
      time: this.#time,
      isDown: (receiver) => this.#receivers.get(receiver)?.circuit.state === 'open',
      offer: (delivery) => this.#offer(delivery),
    });
    this.#receiverParts = {
      attempts: parts,
      time: this.#time,
      semaphore: this.#semaphore,
      lines: this.#lines,
      wake: (receivers) => this.#wake(receivers),
      idle: (receiver) => this.#forgetIdle(receiver),
    };
  }

  /** Starts to deliver the events in the outbox and all later ones. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { outbox, ownership } = this.#parts;
    const stopArrivals = outbox.subscribe((arrived) => {
      for (const arrival of arrived) this.#arrived(arrival);
    });
    this.#unsubscribe.push(stopArrivals);
    if (ownership) {
      const stopWaking = outbox.onWake?.((receivers) => this.#wake(receivers));
      this.#unsubscribe.push(
        ownership.onChange((receivers) => (receivers ? this.#wake(receivers) : this.#wakeAll())),
        () => stopWaking?.(),
      );
    }
    this.#wakeAll();
  }

  /** Starts no further attempts; resolves when those in flight are finished and recorded. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    for (const leave of this.#unsubscribe.splice(0)) leave();
    for (const receiver of this.#receivers.values()) receiver.close();
    this.#lines.close();
    this.#lookAgain?.cancel();
    await this.#semaphore.drain();
    await this.#parts.ownership?.leave();
    await this.#parts.sender.close();
  }

  /** Holds the events of a key until the returned function is called (once or more), for at most ten seconds. */
  pause(orderKey: string): () => void {
    return this.#lines.pause(orderKey);
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
    for (const receiver of this.#receivers.values()) receiver.forget(ids);
    this.#lines.changed(ids);
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
    const { inMemory, timeouts } = this.#lines;
    return { receivers: this.#receivers.size, deliveries: inMemory, timeouts };
  }

  #isMine(receiver: string): boolean {
    return this.#parts.ownership?.isMine(receiver) ?? true;
  }

  #receiver(key: string): Receiver {
    let receiver = this.#receivers.get(key);
    if (!receiver) {
      receiver = new Receiver(key, this.#receiverParts);
      this.#receivers.set(key, receiver);
    }
    return receiver;
  }

  #forgetIdle(receiver: Receiver): void {
    const { key } = receiver;
    // A dropped receiver may wake once more after another has replaced it.
    if (this.#receivers.get(key) !== receiver) return;
    this.#receivers.delete(key);
    this.#parts.ownership?.finished(key);
  }

  #arrived(arrival: DeliveryArrival): void {
    if (arrival.isSendable) this.#offer(arrival);
    this.#lines.arrived(arrival);
  }

  /** Hands a delivery that may be sent to its receiver, or wakes the node that serves it. */
  #offer(delivery: QueuedDelivery): void {
    if (!this.#isRunning) return;
    const { receiver } = delivery;
    const wakeOther = (): void => this.#parts.outbox.wake?.(receiver);
    if (this.#isMine(receiver)) this.#receiver(receiver).offer(delivery);
    else if (!this.#lines.defer(delivery, wakeOther)) wakeOther();
  }

  /** Wakes all receivers with pending events. */
  #wakeAll(): void {
    if (!this.#isRunning) return;
    this.#parts.outbox.receivers().then(
      (receivers) => {
        this.#wake([...receivers, ...this.#receivers.keys()]);
        if (this.#parts.ownership) this.#lookIn(LOOK_MS);
      },
      (error: unknown) => {
        this.#parts.log.error('outbox.unreadable', { error });
        this.#lookIn(LOOK_AGAIN_MS);
      },
    );
  }

  #wake(receivers: Iterable<string>): void {
    if (!this.#isRunning) return;
    const nowMs = this.#time.now();
    for (const key of receivers) if (this.#receivers.has(key) || this.#isMine(key)) this.#receiver(key).wakeAt(nowMs);
  }

  #lookIn(delayMs: number): void {
    if (!this.#isRunning) return;
    this.#lookAgain ??= this.#parts.clock.after(delayMs, () => {
      this.#lookAgain = undefined;
      this.#wakeAll();
    });
  }

  #requeued(receiver: string): void {
    if (!this.#isRunning) return;
    this.#receiver(receiver).circuit.reset(this.#time.now());
    this.#lines.changed();
    this.#wake([receiver]);
  }
}
