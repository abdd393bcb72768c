/**
 * Delivers webhook events from the outbox to their receivers, with one worker per receiver with pending events. The
 * outbox stores the events, and announces when more may be sent; after a restart delivery resumes from there.
 * Neighbours: `receiver-worker.ts` loads and sends, `attempt.ts` makes one attempt, `head-of-line.ts` lets events pass
 * a failing one, `fair-semaphore.ts` limits concurrent attempts.
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
import type { Clock, Timer } from '../../core/clock.ts';
import { partsOfReceiver } from '../../core/receiver.ts';
import type { AttemptParts } from './attempt.ts';
import type { CircuitState } from './circuit.ts';
import { FairSemaphore, type SemaphoreLimits } from './fair-semaphore.ts';
import { HeadOfLine } from './head-of-line.ts';
import type { Sender } from './http-sender.ts';
import type { LivenessParts } from './liveness.ts';
import { neverBack } from './never-back.ts';
import { OpenReads } from './open-reads.ts';
import type { DeadLetterCursor, DeliveryArrival, Outbox, QueuedDelivery } from './outbox.ts';
import { Pauses } from './pauses.ts';
import { memoryKey, ReceiverWorker } from './receiver-worker.ts';
import type { ServedReceivers } from './served-receivers.ts';

export interface WebhookDispatcherParts extends AttemptParts, LivenessParts {
  outbox: Outbox;
  /** Closed by `stop`. */
  sender: Sender;
  limits?: SemaphoreLimits;
  /** Absent if this process sends to all receivers, and is the only writer of the outbox. */
  served?: ServedReceivers;
}

/** A receiver with pending events. */
export interface ReceiverView {
  projectId: string;
  origin: string;
  waiting: number;
  inFlight: number;
  state: CircuitState;
  /** Present while the circuit is open. */
  openedMs?: number;
  nextProbeMs?: number;
}

const LIMITS: SemaphoreLimits = { total: 256, perReceiver: 32, spare: 256, perOwner: 384 };
const LOOK_AGAIN_MS = 5000;
/** Poll interval if other nodes write to the outbox, because their hints may get lost. */
const LOOK_MS = 1000;
/** Deliveries kept in memory behind each head. */
const MAX_SUCCESSORS = 8;
/** Number of dead letters that are requeued per transaction. */
const BATCH = 200;

export class WebhookDispatcher {
  readonly #parts: WebhookDispatcherParts;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #limits: SemaphoreLimits;
  readonly #semaphore: FairSemaphore;
  readonly #pauses: Pauses;
  readonly #workers = new Map<string, ReceiverWorker>();
  readonly #inMemory = new Map<string, QueuedDelivery>();
  readonly #successors = new Map<string, QueuedDelivery[]>();
  readonly #forgotten = new Set<string>();
  readonly #reads = new OpenReads();
  /** Lines that are being read; true if a delivery arrived in the line meanwhile. */
  readonly #linesRead = new Map<string, boolean>();
  readonly #headOfLine: HeadOfLine;
  readonly #unsubscribe: (() => void)[] = [];
  /** Set after a failed read of the outbox, or if other nodes write to it. */
  #lookAgain: Timer | undefined;
  #isRunning = false;

  constructor(parts: WebhookDispatcherParts) {
    this.#parts = parts;
    this.#clock = neverBack(parts.clock);
    this.#limits = parts.limits ?? LIMITS;
    this.#semaphore = new FairSemaphore(this.#limits);
    this.#pauses = new Pauses(parts.clock);
    this.#headOfLine = new HeadOfLine({
      ...parts,
      clock: this.#clock,
      isDown: (receiver) => this.#workers.get(receiver)?.circuit.state === 'open',
      leftLine: (head) => this.#leftLine(head),
    });
  }

  /** Starts to deliver the events in the outbox and all later ones. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { outbox, served } = this.#parts;
    const stopArrivals = outbox.subscribe((arrived) => {
      for (const arrival of arrived) this.#arrived(arrival);
    });
    this.#unsubscribe.push(stopArrivals);
    if (served) {
      const stopWaking = outbox.onWake?.((receivers) => this.#wake(receivers));
      this.#unsubscribe.push(
        served.onChange((receivers) => (receivers ? this.#wake(receivers) : this.#wakeAll())),
        () => stopWaking?.(),
      );
    }
    this.#wakeAll();
  }

  /** Starts no further attempts; resolves when those in flight are finished and recorded. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    for (const leave of this.#unsubscribe.splice(0)) leave();
    for (const worker of this.#workers.values()) worker.close();
    this.#headOfLine.close();
    this.#pauses.close();
    this.#lookAgain?.cancel();
    await this.#semaphore.drain();
    await this.#parts.served?.leave();
    await this.#parts.sender.close();
  }

  /** Holds the events of a key until the returned function is called (once or more), for at most ten seconds. */
  pause(orderKey: string): () => void {
    return this.#pauses.begin(orderKey);
  }

  /** Requeues a dead letter and enables its URL. False if the dead letter does not exist. */
  async requeue(id: string): Promise<boolean> {
    const { outbox } = this.#parts;
    const letter = await outbox.findDeadLetter(id);
    if (!letter) return false;
    await outbox.enableUrl(letter.projectId, letter.url);
    if (!(await outbox.requeue(id, this.#clock.now()))) return false;
    this.#requeued(letter.receiver);
    return true;
  }

  /**
   * Requeues the dead letters of a project whose URLs begin with the prefix, those of each call in order; resolves to
   * how many. Works in batches, without dead letters created meanwhile.
   */
  async requeueAll(projectId: string, urlPrefix = ''): Promise<number> {
    const query = { projectId, urlPrefix, deadByMs: this.#clock.now(), limit: BATCH };
    let count = 0;
    let after: DeadLetterCursor | undefined;
    do {
      const requeued = await this.#parts.outbox.requeueAll({ ...query, after, dueMs: this.#clock.now() });
      count += requeued.count;
      after = requeued.next;
      for (const receiver of requeued.receivers) this.#requeued(receiver);
    } while (after);
    return count;
  }

  /** Drops deliveries that were deleted from the outbox; attempts in flight finish. */
  forget(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const deleted = new Set(ids);
    for (const { id } of this.#inMemory.values()) if (deleted.has(id)) this.#forgotten.add(id);
    for (const id of deleted) this.#reads.left(id);
    this.#linesChanged([]);
    this.#wakeAll();
  }

  /** Receivers with pending events or attempts in flight. */
  receivers(): Promise<ReceiverView[]> {
    const views = [...this.#workers.values()].map(async ({ receiver, active, circuit }) => ({
      ...partsOfReceiver(receiver),
      waiting: await this.#parts.outbox.waitingFor(receiver),
      inFlight: active,
      state: circuit.state,
      ...(circuit.state === 'open' ? { openedMs: circuit.openedMs, nextProbeMs: circuit.nextProbeMs } : {}),
    }));
    return Promise.all(views);
  }

  /** Counts for metrics. */
  async counts(): Promise<{
    waiting: number;
    dead: number;
    inFlight: number;
    circuitsOpen: number;
    oldestMs: number;
  }> {
    const { outbox } = this.#parts;
    const circuitsOpen = [...this.#workers.values()].filter(({ circuit }) => circuit.state === 'open').length;
    const nowMs = this.#clock.now();
    const oldestMs = Math.max(0, nowMs - ((await outbox.oldestCreatedMs()) ?? nowMs));
    return { ...(await outbox.counts()), inFlight: this.#semaphore.active, circuitsOpen, oldestMs };
  }

  /** Items in memory, which do not depend on the size of the outbox. */
  inMemory(): { receivers: number; deliveries: number; timeouts: number } {
    return { receivers: this.#workers.size, deliveries: this.#inMemory.size, timeouts: this.#headOfLine.size };
  }

  #workerFor(receiver: string): ReceiverWorker {
    let worker = this.#workers.get(receiver);
    if (!worker) {
      worker = new ReceiverWorker(receiver, {
        parts: this.#parts,
        clock: this.#clock,
        inMemory: this.#inMemory,
        successors: this.#successors,
        forgotten: this.#forgotten,
        reads: this.#reads,
        isMine: (name) => this.#parts.served?.isMine(name) ?? true,
        semaphore: this.#semaphore,
        maxPerReceiver: this.#limits.perReceiver,
        pauses: this.#pauses,
        headFailed: (head, startedMs) => this.#headOfLine.failed(head, startedMs),
        headGone: (head) => this.#headGone(head),
        wake: (other) => this.#workerFor(other).wakeAt(this.#clock.now()),
        forget: (idle) => {
          // A dropped worker may wake once more after another has replaced it.
          if (this.#workers.get(receiver) !== idle) return;
          this.#workers.delete(receiver);
          this.#parts.served?.finished(receiver);
        },
      });
      this.#workers.set(receiver, worker);
    }
    return worker;
  }

  #arrived(arrival: DeliveryArrival): void {
    const { id, orderKey, receiver, isSendable } = arrival;
    if (this.#linesRead.has(orderKey)) this.#linesRead.set(orderKey, true);
    if (this.#parts.served?.isMine(receiver) === false) {
      if (isSendable) this.#wakeOther(arrival);
      return;
    }
    if (isSendable) {
      this.#workerFor(receiver).offer(arrival);
      // It is the only delivery of its line.
      if (this.#inMemory.get(orderKey) === arrival && !this.#parts.served) this.#successors.set(orderKey, []);
      else this.#successors.delete(orderKey);
      return;
    }
    this.#headOfLine.start(orderKey, this.#clock.now());
    const successors = this.#successors.get(orderKey);
    if (!successors || this.#inMemory.get(orderKey)?.id === id || successors.some((one) => one.id === id)) return;
    if (successors.length < MAX_SUCCESSORS) successors.push(arrival);
    else this.#successors.delete(orderKey);
  }

  /** Offers the next delivery of the line, which may be for another receiver. */
  async #headGone(head: QueuedDelivery): Promise<void> {
    const { orderKey } = head;
    this.#headOfLine.cancel(orderKey);
    const isStill = (): boolean => this.#isRunning && this.#inMemory.get(orderKey) === head;
    if (!isStill()) return;
    const successors = this.#successors.get(orderKey) ?? (await this.#successorsOf(orderKey));
    if (!isStill()) return;
    const next = successors.shift();
    if (next) this.#offer(next);
  }

  #offer(head: QueuedDelivery): void {
    if (this.#parts.served?.isMine(head.receiver) === false) this.#wakeOther(head);
    else this.#workerFor(head.receiver).offer(head);
  }

  /** Wakes the node that serves the receiver, once a paused key is released. */
  #wakeOther({ orderKey, receiver }: QueuedDelivery): void {
    const wake = (): void => this.#parts.outbox.wake?.(receiver);
    if (!this.#pauses.defer(orderKey, wake)) wake();
  }

  /** Deliveries behind a head that left the outbox; cached if the line was read completely. */
  async #successorsOf(orderKey: string): Promise<QueuedDelivery[]> {
    for (;;) {
      this.#linesRead.set(orderKey, false);
      const { found, left } = await this.#reads.read(() => this.#parts.outbox.headOfLine(orderKey, MAX_SUCCESSORS));
      const hasGrown = this.#linesRead.get(orderKey);
      this.#linesRead.delete(orderKey);
      if (found.some(({ id }) => left.has(id))) continue;
      // If the outbox is shared, other nodes may write to the line.
      if (found.length < MAX_SUCCESSORS && !hasGrown && !this.#parts.served) this.#successors.set(orderKey, found);
      if (found.length > 0 || !hasGrown) return found;
    }
  }

  /** Wakes the workers of all receivers with pending events. */
  #wakeAll(): void {
    if (!this.#isRunning) return;
    this.#parts.outbox.receivers().then(
      (receivers) => {
        this.#wake([...receivers, ...this.#workers.keys()]);
        if (this.#parts.served) this.#lookIn(LOOK_MS);
      },
      (error: unknown) => {
        this.#parts.log.error('outbox.unreadable', { error });
        this.#lookIn(LOOK_AGAIN_MS);
      },
    );
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
    this.#workerFor(receiver).circuit.reset(this.#clock.now());
    this.#linesChanged([receiver]);
  }

  /** Lines have grown or lost some of their deliveries. */
  #linesChanged(receivers: readonly string[]): void {
    if (!this.#isRunning) return;
    this.#successors.clear();
    this.#wake(receivers);
  }

  #wake(receivers: readonly string[]): void {
    if (!this.#isRunning) return;
    const nowMs = this.#clock.now();
    for (const receiver of receivers) {
      const worker = this.#workers.get(receiver);
      if (worker) worker.wakeAt(nowMs);
      else if (this.#parts.served?.isMine(receiver) ?? true) this.#workerFor(receiver).wakeAt(nowMs);
    }
  }

  /** Moves a delivery that left its line to another key in memory. */
  async #leftLine({ id, orderKey }: QueuedDelivery): Promise<void> {
    const known = this.#inMemory.get(orderKey);
    if (!this.#isRunning || (known && known.id !== id)) return;
    if (known) {
      this.#inMemory.delete(orderKey);
      this.#successors.delete(orderKey);
      this.#reads.left(id);
      known.inLine = false;
      this.#inMemory.set(memoryKey(known), known);
      // A pause does not apply outside of the line.
      this.#pauses.release(orderKey);
    }
    const { found, left } = await this.#reads.read(() => this.#parts.outbox.headOfLine(orderKey, 1));
    const [next] = found;
    if (!next || this.#inMemory.has(orderKey)) return;
    // The delivery may have been sent meanwhile; then the worker of its receiver finds the next one.
    if (left.has(next.id)) this.#workerFor(next.receiver).wakeAt(this.#clock.now());
    else this.#offer(next);
  }
}
