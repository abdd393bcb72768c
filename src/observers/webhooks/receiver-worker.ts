/**
 * Delivers the events of one receiver. A window of the pending deliveries is in memory; the others are loaded from the
 * outbox when there is room, or when they are due. While the circuit is open, only the probe is in memory.
 *
 * Invariants
 *  - Every delivery that may be sent is in memory, being loaded, or in the outbox and due not before `#dueMs`.
 *  - A delivery is in memory at most once, and of each line at most its head.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import { partsOfReceiver } from '../../core/receiver.ts';
import { type AttemptParts, type AttemptResult, type AttemptVerdict, attempt, type ReceiverHealth } from './attempt.ts';
import { Circuit } from './circuit.ts';
import type { Competitor, FairSemaphore } from './fair-semaphore.ts';
import type { OpenReads } from './open-reads.ts';
import type { Outbox, QueuedDelivery } from './outbox.ts';
import type { Pauses } from './pauses.ts';
import { REMAINING_SCHEDULE_MS } from './retry-schedule.ts';

/** State shared by the workers of all receivers. */
export interface WorkerParts {
  parts: AttemptParts & { outbox: Outbox };
  clock: Pick<Clock, 'now' | 'after'>;
  /** Deliveries of all receivers that are ready, paused or in flight, by `memoryKey`. */
  inMemory: Map<string, QueuedDelivery>;
  /** All deliveries behind a head in memory, by order key. Absent if unknown. */
  successors: Map<string, QueuedDelivery[]>;
  /** Ids of deliveries in memory that were deleted, and must not be sent. */
  forgotten: Set<string>;
  reads: OpenReads;
  /** True if this process serves the receiver, which may have moved to another. */
  isMine(receiver: string): boolean;
  semaphore: FairSemaphore;
  maxPerReceiver: number;
  pauses: Pauses;
  /** The head of a line will be retried. */
  headFailed(head: QueuedDelivery, startedMs: number): void;
  /** The head of a line has left the outbox: resolves when the next delivery has replaced it in memory. */
  headGone(head: QueuedDelivery): Promise<void>;
  /** More deliveries may be sent to a receiver. */
  wake(receiver: string): void;
  /** The receiver of this worker has no pending deliveries. */
  forget(worker: ReceiverWorker): void;
}

/** Maximum in memory per receiver: enough that permits do not wait for the outbox. */
const WINDOW = 256;
/** Used if very many receivers have pending deliveries. */
const SMALL_WINDOW = 8;
const MANY_IN_MEMORY = 8192;
/** Pause after a failed write or read. */
const PAUSE_MS = 5000;
/** Dead-lettered per transaction. */
const BATCH = 200;

const besideKey = (id: string): string => ` ${id}`;

/** Heads of lines, and deliveries that are retried outside of their line. */
export const memoryKey = ({ inLine, orderKey, id }: QueuedDelivery): string => (inLine ? orderKey : besideKey(id));

export class ReceiverWorker implements Competitor {
  readonly receiver: string;
  /** Project of the receiver. */
  readonly owner: string;
  readonly circuit: Circuit;
  active = 0;
  readonly #shared: WorkerParts;
  readonly #ready: QueuedDelivery[] = [];
  /** Deliveries in memory: ready, paused or in flight. */
  readonly #held = new Set<QueuedDelivery>();
  /** Earliest time at which a delivery that is only in the outbox may be sent. */
  #dueMs = Number.POSITIVE_INFINITY;
  #pausedUntilMs = 0;
  /** Results that could not be written; no more than the attempts in flight. */
  readonly #unrecorded = new Map<string, AttemptResult>();
  #isWaking = false;
  #isLoading = false;
  /** Set while loading. */
  #wasWokenMeanwhile = false;
  #isClosed = false;
  #timer: { atMs: number; timer: Timer } | undefined;

  constructor(receiver: string, shared: WorkerParts) {
    this.receiver = receiver;
    this.owner = partsOfReceiver(receiver).projectId;
    this.circuit = new Circuit(shared.maxPerReceiver, shared.parts.random);
    this.#shared = shared;
  }

  /** A delivery may be sent: takes it into memory, or leaves it in the outbox. */
  offer(delivery: QueuedDelivery): void {
    const { inMemory, isMine } = this.#shared;
    if (!isMine(this.receiver)) return;
    // A shared outbox may return a delivery in a read before it is announced.
    if (inMemory.get(memoryKey(delivery))?.id === delivery.id) return;
    const nowMs = this.#nowMs;
    const isDue = delivery.attempts === 0 || delivery.dueMs <= nowMs;
    // The next delivery of a line takes the place of its predecessor. Others queue behind those in the outbox.
    const isNext = this.#dueMs > nowMs && !this.#isLoading;
    const hasRoom = inMemory.has(memoryKey(delivery)) || (isNext && this.#held.size < this.#window);
    if (!isDue || !hasRoom || !this.#takesMore(nowMs)) {
      this.wakeAt(isDue ? nowMs : delivery.dueMs);
      return;
    }
    this.#take(delivery);
    this.#wakeSoon();
  }

  /** A delivery in the outbox may be sent at `dueMs`. */
  wakeAt(dueMs: number): void {
    this.#dueMs = Math.min(this.#dueMs, dueMs);
    this.#wakeSoon();
  }

  mayBegin(): boolean {
    const nowMs = this.#nowMs;
    if (this.#ready.length === 0 || this.#isClosed || nowMs < this.#pausedUntilMs) return false;
    if (!this.#shared.isMine(this.receiver)) return false;
    return this.circuit.permits(nowMs, this.active) > 0;
  }

  async begin(): Promise<void> {
    const { parts, pauses, forgotten } = this.#shared;
    const delivery = this.#ready.shift()!;
    if (forgotten.has(delivery.id)) return this.#drop(delivery);
    this.circuit.begin();
    const resume = (): void => {
      this.#ready.push(delivery);
      this.#wakeSoon();
    };
    if (delivery.inLine && pauses.defer(delivery.orderKey, resume)) return;
    try {
      await this.#deliver(delivery);
    } catch (error) {
      parts.log.error('delivery.unrecorded', { deliveryId: delivery.id, error });
      this.#release(delivery);
      this.#pausedUntilMs = this.#nowMs + PAUSE_MS;
      this.wakeAt(this.#pausedUntilMs);
    }
  }

  ended(): void {
    this.#wake();
  }

  /** Starts no more attempts. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.timer.cancel();
  }

  async #deliver(delivery: QueuedDelivery): Promise<void> {
    const { parts, headFailed } = this.#shared;
    const startedMs = this.#nowMs;
    const result = await this.#attempt(delivery);
    if (!result) {
      this.#release(delivery);
      this.wakeAt(this.#nowMs);
      return;
    }
    const { verdict, health } = result;
    this.#updateCircuit(health);
    if (verdict.outcome === 'failed' && !this.#isExpired(delivery)) {
      const dueMs = this.#nowMs + verdict.retryInMs;
      await parts.outbox.postpone(delivery.id, { attempts: delivery.attempts + 1, dueMs });
      this.#release(delivery);
      this.wakeAt(dueMs);
      if (delivery.inLine) headFailed(delivery, startedMs);
    } else {
      await this.#remove(delivery, verdict);
      await this.#drop(delivery);
    }
    this.#unrecorded.delete(delivery.id);
    if (health === 'down') await this.#giveUpExpired();
  }

  /** The delivery has left the outbox. */
  async #drop(delivery: QueuedDelivery): Promise<void> {
    // Before its successor replaces it: an earlier read must not bring it back.
    this.#shared.reads.left(delivery.id);
    try {
      // The successor of the delivery takes its place in memory.
      if (delivery.inLine) await this.#shared.headGone(delivery);
    } finally {
      this.#release(delivery);
    }
  }

  /** An accepted or dead delivery is not sent again because its result could not be written. */
  async #attempt(delivery: QueuedDelivery): Promise<AttemptResult | undefined> {
    const unrecorded = this.#unrecorded.get(delivery.id);
    if (unrecorded) return unrecorded;
    const result = await attempt(delivery, this.#shared.parts);
    if (result && result.verdict.outcome !== 'failed')
      this.#unrecorded.set(delivery.id, { ...result, health: undefined });
    return result;
  }

  #updateCircuit(health: ReceiverHealth): void {
    const { circuit } = this;
    const { log } = this.#shared.parts;
    const before = circuit.state;
    if (health === 'up') circuit.succeeded();
    if (health === 'down') circuit.failed(this.#nowMs);
    if (circuit.state === before) return;
    const receiver = partsOfReceiver(this.receiver);
    if (circuit.state === 'open') log.warn('receiver.down', receiver);
    else log.info(circuit.state === 'closed' ? 'receiver.up' : 'receiver.recovering', receiver);
  }

  /**
   * True if the receiver has been down for the duration of the whole schedule, and this delivery waited for all of it.
   */
  #isExpired({ createdMs }: QueuedDelivery): boolean {
    const { state, openedMs } = this.circuit;
    return state === 'open' && this.#nowMs - Math.max(openedMs, createdMs) >= REMAINING_SCHEDULE_MS[0]!;
  }

  async #remove({ id, projectId, url }: QueuedDelivery, verdict: AttemptVerdict): Promise<void> {
    const { outbox } = this.#shared.parts;
    if (verdict.outcome === 'delivered') return outbox.delivered(id);
    const deathCause = verdict.outcome === 'dead' ? verdict.deathCause : 'exhausted';
    if (verdict.outcome === 'dead' && verdict.disable) await outbox.disableUrl(projectId, url, this.#nowMs);
    return outbox.deadLetter(id, { deadMs: this.#nowMs, deathCause });
  }

  /** Dead-letters deliveries that have waited for the rest of their schedule while the receiver was down. */
  async #giveUpExpired(): Promise<void> {
    const { circuit, receiver } = this;
    const { outbox, log } = this.#shared.parts;
    const deadMs = this.#nowMs;
    const downMs = deadMs - circuit.openedMs;
    const dueByMs = REMAINING_SCHEDULE_MS.map((restMs) => (downMs >= restMs ? deadMs - restMs : -1));
    let isMore = this.active === 1;
    while (isMore && !this.#isClosed && circuit.state === 'open') {
      const end = { deadMs, deathCause: 'exhausted', limit: BATCH } as const;
      const { count, receivers } = await outbox.deadLetterOverdue(receiver, { dueByMs, ...end });
      if (count > 0) log.warn('delivery.expired', { ...partsOfReceiver(receiver), count });
      for (const other of receivers) this.#shared.wake(other);
      isMore = count === BATCH;
    }
  }

  get #nowMs(): number {
    return this.#shared.clock.now();
  }

  get #window(): number {
    return this.#shared.inMemory.size < MANY_IN_MEMORY ? WINDOW : SMALL_WINDOW;
  }

  #takesMore(nowMs: number): boolean {
    return nowMs >= this.#pausedUntilMs && this.circuit.state !== 'open';
  }

  #take(delivery: QueuedDelivery): void {
    this.#shared.inMemory.set(memoryKey(delivery), delivery);
    this.#held.add(delivery);
    this.#ready.push(delivery);
  }

  /** Removes the delivery from memory: it is gone, or left to the outbox. */
  #release(delivery: QueuedDelivery): void {
    const { inMemory, successors, forgotten, reads } = this.#shared;
    const key = memoryKey(delivery);
    this.#held.delete(delivery);
    reads.left(delivery.id);
    forgotten.delete(delivery.id);
    if (inMemory.get(key) !== delivery) return;
    inMemory.delete(key);
    successors.delete(key);
  }

  /** Coalesces all events of this turn. */
  #wakeSoon(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    queueMicrotask(() => this.#wake());
  }

  #wake(): void {
    this.#isWaking = false;
    if (this.#isClosed) return;
    const nowMs = this.#nowMs;
    const isMine = this.#shared.isMine(this.receiver);
    if (!isMine || !this.#takesMore(nowMs)) this.#unload(nowMs);
    if (!isMine) this.#dueMs = Number.POSITIVE_INFINITY;
    if (this.#isLoading) this.#wasWokenMeanwhile = true;
    else if (nowMs >= this.#pausedUntilMs && this.#dueMs <= nowMs) void this.#load(nowMs);
    this.#goOn();
  }

  #goOn(): void {
    const { semaphore, forget } = this.#shared;
    const nowMs = this.#nowMs;
    if (this.#ready.length > 0) semaphore.enter(this);
    this.#setTimer(nowMs);
    const isIdle = this.#held.size === 0 && this.active === 0 && !this.#isLoading;
    const isOver = isIdle && this.#dueMs === Number.POSITIVE_INFINITY;
    if (isOver && !this.#isWaking) forget(this);
  }

  #unload(nowMs: number): void {
    if (this.#ready.length > 0) this.#dueMs = Math.min(this.#dueMs, nowMs);
    for (const delivery of this.#ready.splice(0)) this.#release(delivery);
  }

  async #load(nowMs: number): Promise<void> {
    const room = this.#room(nowMs);
    if (room === 0) return;
    const { parts, reads } = this.#shared;
    const limit = room + this.#held.size;
    // Probes advance few events through their schedules instead of starting many.
    const mostTriedFirst = this.circuit.state === 'open';
    this.#isLoading = true;
    this.#wasWokenMeanwhile = false;
    // A wake-up during the load sets it again.
    this.#dueMs = Number.POSITIVE_INFINITY;
    try {
      const { found, left } = await reads.read(async () => {
        const due = await parts.outbox.due(this.receiver, { nowMs, limit, mostTriedFirst });
        const nextMs = due.length < limit ? await parts.outbox.nextDueMs(this.receiver, nowMs) : nowMs;
        return { due, nextMs: nextMs ?? Number.POSITIVE_INFINITY };
      });
      const isAllTaken = this.#takeLoaded(found.due, left);
      this.#dueMs = Math.min(this.#dueMs, isAllTaken ? found.nextMs : this.#nowMs);
    } catch (error) {
      parts.log.error('outbox.unreadable', { error });
      this.#dueMs = Math.min(this.#dueMs, nowMs);
      this.#pausedUntilMs = this.#nowMs + PAUSE_MS;
    }
    this.#isLoading = false;
    if (this.#isClosed) return;
    this.#goOn();
    if (this.#wasWokenMeanwhile) this.#wakeSoon();
  }

  /** False if some of the deliveries remain in the outbox, or have changed since the read. */
  #takeLoaded(due: readonly QueuedDelivery[], left: ReadonlySet<string>): boolean {
    const { inMemory } = this.#shared;
    if (this.#isClosed || !this.#shared.isMine(this.receiver)) return false;
    // Deliveries in memory are also in the outbox.
    const free = due.filter(({ id, orderKey }) => inMemory.get(orderKey)?.id !== id && !inMemory.has(besideKey(id)));
    const waiting = free.filter(({ id }) => !left.has(id));
    const room = this.#takesMore(this.#nowMs) || this.circuit.state === 'open' ? this.#room(this.#nowMs) : 0;
    for (const delivery of waiting.slice(0, room)) this.#take(delivery);
    return free.length <= room && waiting.length === free.length;
  }

  /** Free places in memory. */
  #room(nowMs: number): number {
    if (this.circuit.state === 'open') return this.circuit.permits(nowMs, this.active);
    const window = this.#window;
    return this.#held.size <= window / 2 ? window - this.#held.size : 0;
  }

  #setTimer(nowMs: number): void {
    const probeMs = this.circuit.state === 'open' ? this.circuit.nextProbeMs : 0;
    const atMs = Math.max(this.#dueMs, this.#pausedUntilMs, probeMs);
    if (this.#timer?.atMs === atMs) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    // No timer for overdue deliveries: they start when the current attempt finishes.
    if (atMs === Number.POSITIVE_INFINITY || atMs <= nowMs) return;
    const timer = this.#shared.clock.after(atMs - nowMs, () => {
      this.#timer = undefined;
      this.#wake();
    });
    this.#timer = { atMs, timer };
  }
}
