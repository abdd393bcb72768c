/**
 * Delivers the events of one receiver. Owns its queue: a window of the pending deliveries is in memory; the others are
 * loaded from the outbox when there is room, or when they are due. While the circuit is open, only the probe is in
 * memory.
 *
 * Invariants
 *  - Every delivery that may be sent is in memory, being loaded, or in the outbox and due not before `#dueMs`.
 *  - A delivery is in memory at most once, and of each line at most its head.
 */
import type { Timer } from '../../../base/core/clock.ts';
import { partsOfReceiver } from '../../../base/core/receiver.ts';
import { type AttemptParts, type AttemptResult, type AttemptVerdict, attempt, type ReceiverHealth } from './attempt.ts';
import { Circuit, type CircuitState } from './circuit.ts';
import type { Competitor, FairSemaphore } from './fair-semaphore.ts';
import { InFlightReads } from './in-flight-reads.ts';
import type { Lines } from './lines.ts';
import type { MonotonicTime } from './monotonic-time.ts';
import type { Outbox, QueuedDelivery } from './outbox.ts';
import { REMAINING_SCHEDULE_MS } from './retry-schedule.ts';

export interface ReceiverParts {
  attempts: AttemptParts & { outbox: Outbox };
  time: MonotonicTime;
  semaphore: FairSemaphore;
  lines: Lines;
  /** More deliveries may be sent to these receivers. */
  wake(receivers: Iterable<string>): void;
  /** The receiver has no pending deliveries. */
  idle(receiver: Receiver): void;
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

/** Maximum in memory per receiver: enough that permits do not wait for the outbox. */
const WINDOW = 256;
/** Used if very many receivers have pending deliveries. */
const SMALL_WINDOW = 8;
const MANY_IN_MEMORY = 8192;
/** Pause after a failed write or read. */
const PAUSE_MS = 5000;
/** Dead-lettered per transaction. */
const BATCH = 200;

export class Receiver implements Competitor {
  /** Project and origin: see `base/core/receiver.ts`. */
  readonly key: string;
  /** Project of the receiver. */
  readonly owner: string;
  readonly circuit: Circuit;
  active = 0;
  readonly #parts: ReceiverParts;
  /** Deliveries by id: ready, paused or in flight. */
  readonly #inMemory = new Map<string, QueuedDelivery>();
  readonly #ready: QueuedDelivery[] = [];
  /** Ids of deliveries in memory that were deleted from the outbox, and must not be sent. */
  readonly #deleted = new Set<string>();
  /** Results that could not be written; no more than the attempts in flight. */
  readonly #unrecorded = new Map<string, AttemptResult>();
  readonly #reads = new InFlightReads();
  /** Earliest time at which a delivery that is only in the outbox may be sent. */
  #dueMs = Number.POSITIVE_INFINITY;
  #pausedUntilMs = 0;
  #isWaking = false;
  #isLoading = false;
  /** Set while loading. */
  #wasWokenMeanwhile = false;
  #isClosed = false;
  #timer: { atMs: number; timer: Timer } | undefined;

  constructor(key: string, parts: ReceiverParts) {
    this.key = key;
    this.owner = partsOfReceiver(key).projectId;
    this.circuit = new Circuit(parts.semaphore.perReceiver, parts.attempts.random);
    this.#parts = parts;
  }

  async view(): Promise<ReceiverView> {
    const { state, openedMs, nextProbeMs } = this.circuit;
    return {
      ...partsOfReceiver(this.key),
      waiting: await this.#parts.attempts.outbox.waitingFor(this.key),
      inFlight: this.active,
      state,
      ...(state === 'open' ? { openedMs, nextProbeMs } : {}),
    };
  }

  /** A delivery may be sent by this process: takes it into memory, or leaves it in the outbox. */
  offer(delivery: QueuedDelivery): void {
    // A shared outbox may return a delivery in a read before it is announced.
    if (this.#inMemory.has(delivery.id)) return;
    const nowMs = this.#nowMs;
    const isDue = delivery.attempts === 0 || delivery.dueMs <= nowMs;
    // The next delivery of a line takes the place of its predecessor. Others queue behind those in the outbox.
    const isNext = this.#dueMs > nowMs && !this.#isLoading;
    const hasRoom = this.#parts.lines.hasHead(delivery.orderKey) || (isNext && this.#inMemory.size < this.#window);
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

  /** Deliveries were deleted from the outbox: attempts in flight finish. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) {
      if (this.#inMemory.has(id)) this.#deleted.add(id);
      this.#reads.left(id);
    }
  }

  mayStart(): boolean {
    const nowMs = this.#nowMs;
    if (this.#ready.length === 0 || this.#isClosed || nowMs < this.#pausedUntilMs) return false;
    return this.#isMine && this.circuit.permits(nowMs, this.active) > 0;
  }

  async start(): Promise<void> {
    const { attempts, lines } = this.#parts;
    const delivery = this.#ready.shift()!;
    try {
      if (this.#deleted.has(delivery.id)) return await this.#drop(delivery);
      this.circuit.started();
      const resume = (): void => {
        this.#ready.push(delivery);
        this.#wakeSoon();
      };
      if (!lines.defer(delivery, resume)) await this.#deliver(delivery);
    } catch (error) {
      attempts.log.error('delivery.unrecorded', { deliveryId: delivery.id, error });
      this.#pausedUntilMs = this.#nowMs + PAUSE_MS;
      this.#putBack(delivery, this.#pausedUntilMs);
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
    const { attempts, lines } = this.#parts;
    const startedMs = this.#nowMs;
    const result = await this.#attempt(delivery);
    if (!result) return this.#putBack(delivery, this.#nowMs);
    const { verdict, health } = result;
    this.#updateCircuit(health);
    if (verdict.outcome === 'failed' && !this.#isExpired(delivery)) {
      const dueMs = this.#nowMs + verdict.retryInMs;
      await attempts.outbox.postpone(delivery.id, { attempts: delivery.attempts + 1, dueMs });
      this.#putBack(delivery, dueMs);
      if (delivery.inLine) lines.failed(delivery, startedMs);
    } else {
      await this.#record(delivery, verdict);
      this.#unrecorded.delete(delivery.id);
      await this.#drop(delivery);
    }
    if (health === 'down') await this.#giveUpExpired();
  }

  /** An accepted or dead delivery is not sent again because its result could not be written. */
  async #attempt(delivery: QueuedDelivery): Promise<AttemptResult | undefined> {
    const unrecorded = this.#unrecorded.get(delivery.id);
    if (unrecorded) return unrecorded;
    const result = await attempt(delivery, this.#parts.attempts);
    if (result && result.verdict.outcome !== 'failed')
      this.#unrecorded.set(delivery.id, { ...result, health: undefined });
    return result;
  }

  #updateCircuit(health: ReceiverHealth): void {
    const { circuit } = this;
    const { log } = this.#parts.attempts;
    const before = circuit.state;
    if (health === 'up') circuit.succeeded();
    if (health === 'down') circuit.failed(this.#nowMs);
    if (circuit.state === before) return;
    const receiver = partsOfReceiver(this.key);
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

  /** Removes the delivery from the outbox, as a dead letter unless it was accepted. */
  async #record({ id, projectId, url }: QueuedDelivery, verdict: AttemptVerdict): Promise<void> {
    const { outbox } = this.#parts.attempts;
    if (verdict.outcome === 'delivered') return outbox.delivered(id);
    const deathCause = verdict.outcome === 'dead' ? verdict.deathCause : 'exhausted';
    if (verdict.outcome === 'dead' && verdict.disable) await outbox.disableUrl(projectId, url, this.#nowMs);
    return outbox.deadLetter(id, { deadMs: this.#nowMs, deathCause });
  }

  /** Dead-letters deliveries that have waited for the rest of their schedule while the receiver was down. */
  async #giveUpExpired(): Promise<void> {
    const { circuit, key } = this;
    const { outbox, log } = this.#parts.attempts;
    const deadMs = this.#nowMs;
    const downMs = deadMs - circuit.openedMs;
    const dueByMs = REMAINING_SCHEDULE_MS.map((restMs) => (downMs >= restMs ? deadMs - restMs : -1));
    let isMore = this.active === 1;
    while (isMore && !this.#isClosed && circuit.state === 'open') {
      const end = { deadMs, deathCause: 'exhausted', limit: BATCH } as const;
      const { count, receivers } = await outbox.deadLetterOverdue(key, { dueByMs, ...end });
      if (count > 0) log.warn('delivery.expired', { ...partsOfReceiver(key), count });
      this.#parts.wake(receivers);
      isMore = count === BATCH;
    }
  }

  get #nowMs(): number {
    return this.#parts.time.now();
  }

  /** True if this process serves the receiver, which may have moved to another. */
  get #isMine(): boolean {
    return this.#parts.attempts.ownership?.isMine(this.key) ?? true;
  }

  get #window(): number {
    return this.#parts.lines.inMemory < MANY_IN_MEMORY ? WINDOW : SMALL_WINDOW;
  }

  #takesMore(nowMs: number): boolean {
    return nowMs >= this.#pausedUntilMs && this.circuit.state !== 'open';
  }

  #take(delivery: QueuedDelivery): void {
    this.#inMemory.set(delivery.id, delivery);
    this.#ready.push(delivery);
    this.#parts.lines.taken(delivery);
  }

  /** Leaves the delivery to the outbox until `dueMs`. */
  #putBack(delivery: QueuedDelivery, dueMs: number): void {
    this.#release(delivery);
    this.wakeAt(dueMs);
  }

  #release(delivery: QueuedDelivery): void {
    if (this.#leave(delivery)) this.#parts.lines.released(delivery);
  }

  /** The delivery has left the outbox. */
  async #drop(delivery: QueuedDelivery): Promise<void> {
    if (this.#leave(delivery)) await this.#parts.lines.gone(delivery);
  }

  /** Removes the delivery from memory. False if it was removed before. */
  #leave(delivery: QueuedDelivery): boolean {
    const { id } = delivery;
    if (this.#inMemory.get(id) !== delivery) return false;
    this.#inMemory.delete(id);
    this.#deleted.delete(id);
    this.#reads.left(id);
    return true;
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
    const isMine = this.#isMine;
    if (!isMine || !this.#takesMore(nowMs)) this.#unload(nowMs);
    if (!isMine) this.#dueMs = Number.POSITIVE_INFINITY;
    if (this.#isLoading) this.#wasWokenMeanwhile = true;
    else if (this.#dueMs <= nowMs) void this.#load(nowMs);
    this.#enter();
  }

  /** Waits for a permit, for the next due time, or for nothing more. */
  #enter(): void {
    const { semaphore, idle } = this.#parts;
    if (this.#ready.length > 0) semaphore.enter(this);
    this.#setTimer(this.#nowMs);
    const isIdle = this.#inMemory.size === 0 && this.active === 0 && !this.#isLoading;
    if (isIdle && this.#dueMs === Number.POSITIVE_INFINITY && !this.#isWaking) idle(this);
  }

  #unload(nowMs: number): void {
    if (this.#ready.length > 0) this.#dueMs = Math.min(this.#dueMs, nowMs);
    for (const delivery of this.#ready.splice(0)) this.#release(delivery);
  }

  async #load(nowMs: number): Promise<void> {
    const room = this.#room(nowMs);
    if (room === 0) return;
    const { outbox, log } = this.#parts.attempts;
    const limit = room + this.#inMemory.size;
    // Probes advance few events through their schedules instead of starting many.
    const mostTriedFirst = this.circuit.state === 'open';
    this.#isLoading = true;
    this.#wasWokenMeanwhile = false;
    // A wake-up during the load sets it again.
    this.#dueMs = Number.POSITIVE_INFINITY;
    try {
      const { found, left } = await this.#reads.read(async () => {
        const due = await outbox.due(this.key, { nowMs, limit, mostTriedFirst });
        const nextMs = due.length < limit ? await outbox.nextDueMs(this.key, nowMs) : nowMs;
        return { due, nextMs: nextMs ?? Number.POSITIVE_INFINITY };
      });
      const isAllTaken = this.#takeLoaded(found.due, left);
      this.#dueMs = Math.min(this.#dueMs, isAllTaken ? found.nextMs : this.#nowMs);
      // The next one became due during the read: there is no timer for it.
      if (isAllTaken && found.nextMs > nowMs && found.nextMs <= this.#nowMs) this.#wasWokenMeanwhile = true;
    } catch (error) {
      log.error('outbox.unreadable', { error });
      this.#dueMs = Math.min(this.#dueMs, nowMs);
      this.#pausedUntilMs = this.#nowMs + PAUSE_MS;
    }
    this.#isLoading = false;
    if (this.#isClosed) return;
    this.#enter();
    if (this.#wasWokenMeanwhile) this.#wakeSoon();
  }

  /** False if some of the deliveries remain in the outbox, or have changed since the read. */
  #takeLoaded(due: readonly QueuedDelivery[], left: ReadonlySet<string>): boolean {
    if (this.#isClosed || !this.#isMine) return false;
    // Deliveries in memory are also in the outbox.
    const free = due.filter(({ id }) => !this.#inMemory.has(id));
    const waiting = free.filter(({ id }) => !left.has(id));
    const room = this.#room(this.#nowMs);
    for (const delivery of waiting.slice(0, room)) this.#take(delivery);
    return free.length <= room && waiting.length === free.length;
  }

  /** Number of deliveries to load. */
  #room(nowMs: number): number {
    if (nowMs < this.#pausedUntilMs) return 0;
    if (this.circuit.state === 'open') return this.circuit.permits(nowMs, this.active);
    const window = this.#window;
    return this.#inMemory.size <= window / 2 ? window - this.#inMemory.size : 0;
  }

  #setTimer(nowMs: number): void {
    const probeMs = this.circuit.state === 'open' ? this.circuit.nextProbeMs : 0;
    const atMs = Math.max(this.#dueMs, this.#pausedUntilMs, probeMs);
    if (this.#timer?.atMs === atMs) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    // No timer for overdue deliveries: they start when the current attempt finishes.
    if (atMs === Number.POSITIVE_INFINITY || atMs <= nowMs) return;
    const timer = this.#parts.time.after(atMs - nowMs, () => {
      this.#timer = undefined;
      this.#wake();
    });
    this.#timer = { atMs, timer };
  }
}
