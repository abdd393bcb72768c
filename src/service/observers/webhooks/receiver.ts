/**
 * Delivers the events of one receiver. The life of a delivery, in the order of the methods: `offer` or `#load` adds it
 * to memory, `start` sends it when there is a permit, and its result is recorded. It has then left the outbox, and the
 * next one of its line takes its place; or it returns to the outbox until its retry is due.
 *
 * Only a window of the pending deliveries is in memory; while the circuit is open, only the probe.
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
import type { InFlightReads } from './in-flight-reads.ts';
import type { Lines } from './lines.ts';
import type { MonotonicTime } from './monotonic-time.ts';
import type { Outbox, QueuedDelivery } from './outbox.ts';
import type { Pauses } from './pauses.ts';
import { REMAINING_SCHEDULE_MS } from './retry-schedule.ts';

export interface ReceiverParts extends AttemptParts {
  outbox: Outbox;
  time: MonotonicTime;
  semaphore: FairSemaphore;
  lines: Lines;
  pauses: Pauses;
  reads: InFlightReads;
  /** Count of deliveries in memory, of all receivers. */
  inMemory: { count: number };
  /** True if this process serves the receiver, which may move to another. */
  isMine(receiver: string): boolean;
  /** More deliveries may be sent to these receivers. */
  wake(receivers: Iterable<string>): void;
  /** The receiver has no pending deliveries. */
  onIdle(receiver: Receiver): void;
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
const NEVER = Number.POSITIVE_INFINITY;

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
  /** May contain deliveries that were deleted, and are not in memory any more. */
  readonly #ready: QueuedDelivery[] = [];
  /** Results that could not be written; no more than the attempts in flight. */
  readonly #unrecorded = new Map<string, AttemptResult>();
  /** Earliest time at which a delivery that is only in the outbox may be sent. */
  #dueMs = NEVER;
  #pausedUntilMs = 0;
  #isLoading = false;
  #timer: { atMs: number; timer: Timer } | undefined;

  constructor(key: string, parts: ReceiverParts) {
    this.key = key;
    this.owner = partsOfReceiver(key).projectId;
    this.circuit = new Circuit(parts.semaphore.perReceiver, parts.random);
    this.#parts = parts;
  }

  async view(): Promise<ReceiverView> {
    const { state, openedMs, nextProbeMs } = this.circuit;
    return {
      ...partsOfReceiver(this.key),
      waiting: await this.#parts.outbox.waitingFor(this.key),
      inFlight: this.active,
      state,
      ...(state === 'open' ? { openedMs, nextProbeMs } : {}),
    };
  }

  /**
   * A delivery may be sent. It is added to memory at once, unless others in the outbox go first, because a shared outbox
   * reads 256 shards to find it again. A replacement takes the place of its predecessor. True if it was added.
   */
  offer(delivery: QueuedDelivery, isReplacement = false): boolean {
    // A shared outbox may return a delivery in a read before it is announced.
    if (this.#inMemory.has(delivery.id)) return false;
    const nowMs = this.#nowMs;
    const isNext = !this.#isLoading && this.#dueMs > nowMs && this.#room(nowMs) > 0;
    const hasPlace = isReplacement ? this.#maxReady(nowMs) === NEVER : isNext;
    if (delivery.attempts > 0 || !hasPlace) {
      this.wakeAt(delivery.attempts > 0 ? delivery.dueMs : nowMs);
      return false;
    }
    this.#add(delivery);
    this.#proceed();
    return true;
  }

  /** A delivery in the outbox may be sent at `dueMs`. */
  wakeAt(dueMs: number): void {
    this.#dueMs = Math.min(this.#dueMs, dueMs);
    this.#proceed();
  }

  /** Deliveries were deleted from the outbox: attempts in flight finish. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) this.#remove(this.#inMemory.get(id));
  }

  /** The outbox has moved a delivery out of its line. */
  onPassed({ id, orderKey }: QueuedDelivery): void {
    const delivery = this.#inMemory.get(id);
    if (!delivery) return;
    delivery.inLine = false;
    // A pause does not apply outside of the line.
    this.#parts.pauses.release(orderKey);
  }

  /** Does all that is possible now; called after each change. */
  #proceed(): void {
    const nowMs = this.#nowMs;
    this.#unload(nowMs);
    const isHalfEmpty = this.#inMemory.size <= this.#window / 2;
    if (this.#dueMs <= nowMs && isHalfEmpty && this.#room(nowMs) > 0 && !this.#isLoading) void this.#load();
    if (this.#ready.length > 0) this.#parts.semaphore.enter(this);
    this.#setTimer(nowMs);
    const isIdle = this.#inMemory.size === 0 && this.active === 0 && !this.#isLoading && this.#dueMs === NEVER;
    if (isIdle) this.#parts.onIdle(this);
  }

  /** Adds deliveries that are due, as many as there is room for. */
  async #load(): Promise<void> {
    const { outbox, reads, log } = this.#parts;
    this.#isLoading = true;
    // One read for all that becomes due in this turn.
    await undefined;
    const nowMs = this.#nowMs;
    const limit = this.#room(nowMs) + this.#inMemory.size;
    // Probes advance few events through their schedules instead of starting many.
    const mostTriedFirst = this.circuit.state === 'open';
    // A wake-up during the read sets it again.
    this.#dueMs = NEVER;
    try {
      const { reply, outdated } = await reads.read(async () => {
        const due = await outbox.due(this.key, { nowMs, limit, mostTriedFirst });
        const nextMs = due.length < limit ? await outbox.nextDueMs(this.key, nowMs) : nowMs;
        return { due, nextMs: nextMs ?? NEVER };
      });
      // Deliveries in memory are also in the outbox.
      const others = reply.due.filter(({ id }) => !this.#inMemory.has(id));
      const added = others.filter(({ id }) => !outdated.has(id)).slice(0, this.#room(this.#nowMs));
      for (const delivery of added) this.#add(delivery);
      this.#dueMs = Math.min(this.#dueMs, added.length === others.length ? reply.nextMs : nowMs);
    } catch (error) {
      log.error('outbox.unreadable', { error });
      this.#dueMs = nowMs;
      this.#pausedUntilMs = this.#nowMs + PAUSE_MS;
    }
    this.#isLoading = false;
    this.#proceed();
  }

  #add(delivery: QueuedDelivery): void {
    this.#inMemory.set(delivery.id, delivery);
    this.#parts.inMemory.count += 1;
    this.#ready.push(delivery);
  }

  mayStart(): boolean {
    const nowMs = this.#nowMs;
    return this.#ready.length > 0 && this.#maxReady(nowMs) > 0 && this.circuit.permits(nowMs, this.active) > 0;
  }

  async start(): Promise<void> {
    const { pauses, log } = this.#parts;
    const delivery = this.#ready.shift()!;
    const isDeleted = this.#inMemory.get(delivery.id) !== delivery;
    if (isDeleted || pauses.defer(delivery, () => this.#resume(delivery))) return;
    this.circuit.started();
    try {
      await this.#deliver(delivery);
    } catch (error) {
      log.error('delivery.unrecorded', { deliveryId: delivery.id, error });
      this.#pausedUntilMs = this.#nowMs + PAUSE_MS;
      this.#putBack(delivery, this.#pausedUntilMs);
    }
  }

  ended(): void {
    this.#proceed();
  }

  #resume(delivery: QueuedDelivery): void {
    this.#ready.push(delivery);
    this.#proceed();
  }

  async #deliver(delivery: QueuedDelivery): Promise<void> {
    const startedMs = this.#nowMs;
    const result = this.#unrecorded.get(delivery.id) ?? (await attempt(delivery, this.#parts));
    // Another node serves the receiver now.
    if (!result) return this.#putBack(delivery, this.#nowMs);
    const { verdict, health } = result;
    this.#updateCircuit(health);
    if (verdict.outcome === 'failed' && !this.#isExpired(delivery)) {
      const dueMs = this.#nowMs + verdict.retryInMs;
      await this.#parts.outbox.postpone(delivery.id, { attempts: delivery.attempts + 1, dueMs });
      this.#putBack(delivery, dueMs);
      if (delivery.inLine) void this.#parts.lines.failed(delivery, startedMs);
    } else {
      // If recording fails, the delivery is recorded later instead of being sent again.
      if (verdict.outcome !== 'failed') this.#unrecorded.set(delivery.id, { verdict, health: undefined });
      await this.#record(delivery, verdict);
      this.#unrecorded.delete(delivery.id);
      if (this.#remove(delivery) && delivery.inLine) await this.#parts.lines.advance(delivery);
    }
    if (health === 'down') await this.#giveUpExpired();
  }

  /** Removes the delivery from the outbox, as a dead letter unless it was accepted. */
  async #record({ id, projectId, url }: QueuedDelivery, verdict: AttemptVerdict): Promise<void> {
    const { outbox } = this.#parts;
    if (verdict.outcome === 'delivered') return outbox.delivered(id);
    const deathCause = verdict.outcome === 'dead' ? verdict.deathCause : 'exhausted';
    if (verdict.outcome === 'dead' && verdict.disable) await outbox.disableUrl(projectId, url, this.#nowMs);
    return outbox.deadLetter(id, { deadMs: this.#nowMs, deathCause });
  }

  /** Leaves the delivery to the outbox until `dueMs`. */
  #putBack(delivery: QueuedDelivery, dueMs: number): void {
    if (this.#remove(delivery)) this.#parts.lines.release(delivery);
    this.wakeAt(dueMs);
  }

  /** Removes the delivery from memory. False if it was removed before. */
  #remove(delivery: QueuedDelivery | undefined): boolean {
    if (!delivery || this.#inMemory.get(delivery.id) !== delivery) return false;
    this.#inMemory.delete(delivery.id);
    this.#parts.inMemory.count -= 1;
    this.#parts.reads.invalidate(delivery.id);
    return true;
  }

  #updateCircuit(health: ReceiverHealth): void {
    const { circuit } = this;
    const { log } = this.#parts;
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

  /** Dead-letters deliveries that have waited for the rest of their schedule while the receiver was down. */
  async #giveUpExpired(): Promise<void> {
    const { circuit, key } = this;
    const { outbox, log } = this.#parts;
    const deadMs = this.#nowMs;
    const downMs = deadMs - circuit.openedMs;
    const dueByMs = REMAINING_SCHEDULE_MS.map((restMs) => (downMs >= restMs ? deadMs - restMs : -1));
    let isMore = this.active === 1;
    while (isMore && this.#isMine && circuit.state === 'open') {
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

  get #window(): number {
    return this.#parts.inMemory.count < MANY_IN_MEMORY ? WINDOW : SMALL_WINDOW;
  }

  /** Maximum number of ready deliveries: none if nothing can be sent, and one while the circuit is to be probed. */
  #maxReady(nowMs: number): number {
    if (nowMs < this.#pausedUntilMs || !this.#isMine) return 0;
    return this.circuit.state === 'open' ? this.circuit.permits(nowMs, this.active) : NEVER;
  }

  get #isMine(): boolean {
    return this.#parts.isMine(this.key);
  }

  /** Number of deliveries that may be added to memory. */
  #room(nowMs: number): number {
    return Math.max(0, Math.min(this.#window - this.#inMemory.size, this.#maxReady(nowMs) - this.#ready.length));
  }

  /** Leaves the deliveries that cannot be sent now to the outbox. */
  #unload(nowMs: number): void {
    const excess = this.#ready.splice(this.#maxReady(nowMs));
    for (const delivery of excess) if (this.#remove(delivery)) this.#parts.lines.release(delivery);
    if (excess.length > 0) this.#dueMs = Math.min(this.#dueMs, nowMs);
    // The other node finds them in the outbox.
    if (!this.#isMine) this.#dueMs = NEVER;
  }

  #setTimer(nowMs: number): void {
    const probeMs = this.circuit.state === 'open' ? this.circuit.nextProbeMs : 0;
    const atMs = Math.max(this.#dueMs, this.#pausedUntilMs, probeMs);
    if (this.#timer?.atMs === atMs) return;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    // No timer for overdue deliveries: they start when the current attempt finishes.
    if (atMs === NEVER || atMs <= nowMs) return;
    const timer = this.#parts.time.after(atMs - nowMs, () => {
      this.#timer = undefined;
      this.#proceed();
    });
    this.#timer = { atMs, timer };
  }
}
