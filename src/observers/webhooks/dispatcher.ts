/**
 * Carries webhook events from the outbox to their receivers: one worker for each receiver for which something waits. The
 * outbox knows what is to be sent, and announces when more may be; after a start the delivery goes on where the last process
 * stopped. Neighbours: `receiver-worker.ts` loads and sends, `attempt.ts` makes one attempt, `head-of-line.ts` lets
 * events pass one that fails, `fair-semaphore.ts` limits how many attempts there are at once.
 *
 * Invariants
 *  - at least once: an event leaves the outbox when its receiver has accepted it (2xx), or for the dead letters when its
 *    retries are over, never before the schedule of retries allows;
 *  - the events of one order key go out in order, one at a time; but while its call is live an event waits no longer
 *    than ten seconds for a failing predecessor, which is then retried beside the line;
 *  - no line moves while its key is paused;
 *  - a receiver, whatever it does, delays only its own events;
 *  - what a receiver accepted is not sent again by this process because that could not be written down.
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
  /** Absent: all are sent to by this process, and nobody else writes to the outbox. */
  served?: ServedReceivers;
}

/** A receiver for which anything waits. */
export interface ReceiverView {
  projectId: string;
  origin: string;
  waiting: number;
  inFlight: number;
  state: CircuitState;
  /** While it is open. */
  openedMs?: number;
  nextProbeMs?: number;
}

const LIMITS: SemaphoreLimits = { total: 256, perReceiver: 32, spare: 256, perOwner: 384 };
const LOOK_AGAIN_MS = 5000;
/** Where other nodes write to the outbox, and a hint of theirs may have got lost. */
const LOOK_MS = 1000;
/** Deliveries that wait behind one in memory. */
const MAX_SUCCESSORS = 8;
/** Requeued in one transaction. */
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
  /** Lines that are being read; true: something arrived in the line meanwhile. */
  readonly #linesRead = new Map<string, boolean>();
  readonly #headOfLine: HeadOfLine;
  readonly #unsubscribe: (() => void)[] = [];
  /** After the outbox could not be read, or where others write to it. */
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

  /** Takes up what the outbox holds, and whatever is committed from now on. */
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

  /** Starts no further attempt; resolves when those under way are over and written down. */
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

  /** Keeps the events of a key back until the returned function is called (once or more), ten seconds at most. */
  pause(orderKey: string): () => void {
    return this.#pauses.begin(orderKey);
  }

  /** Sends a dead letter again, and believes its URL to be usable again. False: there is no such dead letter. */
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
   * Sends the dead letters of a project again whose URLs begin with the prefix, those of each call in order; resolves to
   * how many. A batch at a time, and none that is given up meanwhile.
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

  /** These were deleted from the outbox: they are not sent any more, but for attempts that are under way. */
  forget(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const deleted = new Set(ids);
    for (const { id } of this.#inMemory.values()) if (deleted.has(id)) this.#forgotten.add(id);
    for (const id of deleted) this.#reads.left(id);
    this.#linesChanged([]);
    this.#wakeAll();
  }

  /** Those for which anything waits, or is under way. */
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

  /** For metrics. */
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

  /** What is in memory, however much waits in the outbox. */
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
          // One that was forgotten before may wake once more, when another has taken its place.
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
      // It is the only one of its line.
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

  /** On with the next of the line, which may be for another receiver. */
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

  /** The node that serves the receiver; when the response is out that the event must not overtake. */
  #wakeOther({ orderKey, receiver }: QueuedDelivery): void {
    const wake = (): void => this.#parts.outbox.wake?.(receiver);
    if (!this.#pauses.defer(orderKey, wake)) wake();
  }

  /** What waits in a line whose head is out of the outbox; where that is all, it is known from now on. */
  async #successorsOf(orderKey: string): Promise<QueuedDelivery[]> {
    for (;;) {
      this.#linesRead.set(orderKey, false);
      const { found, left } = await this.#reads.read(() => this.#parts.outbox.headOfLine(orderKey, MAX_SUCCESSORS));
      const hasGrown = this.#linesRead.get(orderKey);
      this.#linesRead.delete(orderKey);
      if (found.some(({ id }) => left.has(id))) continue;
      // Others may write to the line where the outbox is shared.
      if (found.length < MAX_SUCCESSORS && !hasGrown && !this.#parts.served) this.#successors.set(orderKey, found);
      if (found.length > 0 || !hasGrown) return found;
    }
  }

  /** Whatever waits, for whichever receiver. */
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

  /** Lines have grown, or lost some of their deliveries. */
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

  /** Beside its line it is another thing in memory. */
  async #leftLine({ id, orderKey }: QueuedDelivery): Promise<void> {
    const known = this.#inMemory.get(orderKey);
    if (!this.#isRunning || (known && known.id !== id)) return;
    if (known) {
      this.#inMemory.delete(orderKey);
      this.#successors.delete(orderKey);
      this.#reads.left(id);
      known.inLine = false;
      this.#inMemory.set(memoryKey(known), known);
      // Beside the line a pause does not concern it.
      this.#pauses.release(orderKey);
    }
    const { found, left } = await this.#reads.read(() => this.#parts.outbox.headOfLine(orderKey, 1));
    const [next] = found;
    if (!next || this.#inMemory.has(orderKey)) return;
    // It may have been sent meanwhile, or its receiver finds it.
    if (left.has(next.id)) this.#workerFor(next.receiver).wakeAt(this.#clock.now());
    else this.#offer(next);
  }
}
