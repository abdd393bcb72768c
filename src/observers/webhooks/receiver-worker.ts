/**
 * Delivers the events of one receiver. A window of what waits is in memory; the rest is in the outbox, and is loaded when
 * there is room, or when it is due. While the circuit is open, nothing is in memory but its probe.
 *
 * Invariants
 *  - whatever may be sent is in memory, or being loaded, or in the outbox and due not before `#dueMs`;
 *  - a delivery is in memory once at most, and of each line its head at most.
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

/** What the workers of all receivers share. */
export interface WorkerParts {
  parts: AttemptParts & { outbox: Outbox };
  clock: Pick<Clock, 'now' | 'after'>;
  /** The deliveries of all receivers that are ready, paused or under way, by `memoryKey`. */
  inMemory: Map<string, QueuedDelivery>;
  /** All that follows a head in memory, by order key; absent: that is not known. */
  successors: Map<string, QueuedDelivery[]>;
  /** Of those in memory, by their ids: they are deleted, and are not sent. */
  forgotten: Set<string>;
  reads: OpenReads;
  /** Whether this process sends to the receiver: another may do it now. */
  isMine(receiver: string): boolean;
  semaphore: FairSemaphore;
  maxPerReceiver: number;
  pauses: Pauses;
  /** The head of a line is to be retried. */
  headFailed(head: QueuedDelivery, startedMs: number): void;
  /** The head of a line is out of the outbox: resolves when the next one has taken its place in memory. */
  headGone(head: QueuedDelivery): Promise<void>;
  /** More may be sent to a receiver. */
  wake(receiver: string): void;
  /** Nothing waits for the receiver of this worker. */
  forget(worker: ReceiverWorker): void;
}

/** In memory for one receiver: so many that no permit waits for the outbox. */
const WINDOW = 256;
/** When very many receivers have something waiting. */
const SMALL_WINDOW = 8;
const MANY_IN_MEMORY = 8192;
/** After something could not be written or read. */
const PAUSE_MS = 5000;
/** Given up in one transaction. */
const BATCH = 200;

const besideKey = (id: string): string => ` ${id}`;

/** In memory are the heads of lines, and what is retried beside its line. */
export const memoryKey = ({ inLine, orderKey, id }: QueuedDelivery): string => (inLine ? orderKey : besideKey(id));

export class ReceiverWorker implements Competitor {
  readonly receiver: string;
  /** The project. */
  readonly owner: string;
  readonly circuit: Circuit;
  active = 0;
  readonly #shared: WorkerParts;
  readonly #ready: QueuedDelivery[] = [];
  /** What is in memory: ready, paused or under way. */
  readonly #held = new Set<QueuedDelivery>();
  /** When something that is only in the outbox may be sent. */
  #dueMs = Number.POSITIVE_INFINITY;
  #pausedUntilMs = 0;
  /** What was sent, and could not be written down; no more than are sent at once. */
  readonly #unrecorded = new Map<string, AttemptResult>();
  #isWaking = false;
  #isLoading = false;
  /** While it was loading. */
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
    // It was read from the outbox before it was announced, as it may be where that is shared.
    if (inMemory.get(memoryKey(delivery))?.id === delivery.id) return;
    const nowMs = this.#nowMs;
    const isDue = delivery.attempts === 0 || delivery.dueMs <= nowMs;
    // The next of a line takes the room of the one before. Others wait behind what is in the outbox.
    const isNext = this.#dueMs > nowMs && !this.#isLoading;
    const hasRoom = inMemory.has(memoryKey(delivery)) || (isNext && this.#held.size < this.#window);
    if (!isDue || !hasRoom || !this.#takesMore(nowMs)) {
      this.wakeAt(isDue ? nowMs : delivery.dueMs);
      return;
    }
    this.#take(delivery);
    this.#wakeSoon();
  }

  /** Something in the outbox may be sent then. */
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

  /** Begins nothing more. */
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

  /** It is out of the outbox. */
  async #drop(delivery: QueuedDelivery): Promise<void> {
    // Before its successor takes its place: what was read while it was there does not bring it back.
    this.#shared.reads.left(delivery.id);
    try {
      // Its successor takes its place in memory.
      if (delivery.inLine) await this.#shared.headGone(delivery);
    } finally {
      this.#release(delivery);
    }
  }

  /** What was accepted, or given up, is not sent again because that could not be written down. */
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

  /** Whether the receiver has been down for as long as the whole schedule takes, and this waited for all that time. */
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

  /** Gives up what has waited for the rest of its schedule while the receiver was down. */
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

  /** It is gone, or left to the outbox. */
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

  /** Once for all that happens in this turn. */
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
    // A probe takes few events through their schedules instead of beginning with many.
    const mostTriedFirst = this.circuit.state === 'open';
    this.#isLoading = true;
    this.#wasWokenMeanwhile = false;
    // Whoever wakes the worker meanwhile sets it again.
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

  /** False: some of what was found waits in the outbox, or is not as it was found any more. */
  #takeLoaded(due: readonly QueuedDelivery[], left: ReadonlySet<string>): boolean {
    const { inMemory } = this.#shared;
    if (this.#isClosed || !this.#shared.isMine(this.receiver)) return false;
    // What is in memory is in the outbox as well.
    const free = due.filter(({ id, orderKey }) => inMemory.get(orderKey)?.id !== id && !inMemory.has(besideKey(id)));
    const waiting = free.filter(({ id }) => !left.has(id));
    const room = this.#takesMore(this.#nowMs) || this.circuit.state === 'open' ? this.#room(this.#nowMs) : 0;
    for (const delivery of waiting.slice(0, room)) this.#take(delivery);
    return free.length <= room && waiting.length === free.length;
  }

  /** For how many more there is room in memory. */
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
    // What is due already goes on when an attempt is over.
    if (atMs === Number.POSITIVE_INFINITY || atMs <= nowMs) return;
    const timer = this.#shared.clock.after(atMs - nowMs, () => {
      this.#timer = undefined;
      this.#wake();
    });
    this.#timer = { atMs, timer };
  }
}
