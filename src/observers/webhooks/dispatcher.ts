/**
 * Carries webhook events from the outbox to their receivers. The outbox knows what is to be sent; here is only what is
 * under way, whatever waits. After a start it goes on where the last process stopped. Neighbours: `receiver-queue.ts`
 * says what is in memory and when an attempt may begin, `attempt.ts` makes it, `lanes.ts` keeps lines in order.
 *
 * Invariants
 *  D1 at least once: an event leaves the outbox when its receiver has taken it (2xx), or dead when its retries are over:
 *     never before the schedule of retries allows;
 *  D2 the events of one order key go out in order, one at a time; but while its call is live an event waits no longer
 *     than ten seconds for a failing predecessor, which is then retried beside the line;
 *  D3 no line moves while its key is held;
 *  D4 a receiver, whatever it does, holds up nobody's events but its own;
 *  D5 what a receiver took is not sent again because that could not be written down, as long as this process lives.
 */

import type { Clock } from '../../core/clock.ts';
import { defined } from '../../core/json.ts';
import { partsOfReceiver } from '../../core/receiver.ts';
import { type AttemptParts, type AttemptResult, attempt, type ReceiverHealth } from './attempt.ts';
import type { CircuitState } from './circuit.ts';
import { Holds } from './holds.ts';
import { type Lane, Lanes } from './lanes.ts';
import type { DeadLetterCursor, DeliveryArrival, Outbox, QueuedDelivery } from './outbox.ts';
import { Patience } from './patience.ts';
import { ReceiverQueue } from './receiver-queue.ts';
import { REMAINING_SCHEDULE_MS } from './retry-schedule.ts';
import type { Sender } from './sender.ts';
import { Turnstile, type TurnstileLimits } from './turnstile.ts';

export interface WebhookDispatcherParts extends AttemptParts {
  outbox: Outbox;
  /** Closed by `stop`. */
  sender: Sender;
  /** Whether the call that the key stands for is still going on. */
  isLive(orderKey: string): boolean;
  limits?: TurnstileLimits;
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

const LIMITS: TurnstileLimits = { total: 256, perReceiver: 32, spare: 256, perOwner: 384 };
/** Rows in one transaction, when very many are given up or sent again. */
const AT_ONCE = 200;
const MOST_UNRECORDED = 10_000;

/** The wall clock, but that it goes on where somebody sets it back: nothing is sent later because of that. */
function neverBack(clock: Clock): Pick<Clock, 'now' | 'after'> {
  const offsetMs = clock.now() - clock.monotonicMs();
  return {
    now: () => Math.max(clock.now(), Math.round(clock.monotonicMs() + offsetMs)),
    after: (delayMs, fire) => clock.after(delayMs, fire),
  };
}

export class WebhookDispatcher {
  readonly #parts: WebhookDispatcherParts;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #turnstile: Turnstile;
  readonly #limits: TurnstileLimits;
  readonly #lanes = new Lanes();
  readonly #queues = new Map<string, ReceiverQueue>();
  readonly #holds: Holds;
  readonly #patience: Patience;
  /** What came of attempts and is not written yet. */
  readonly #unrecorded = new Map<string, AttemptResult>();
  #unsubscribe: (() => void) | undefined;
  #running = false;

  constructor(parts: WebhookDispatcherParts) {
    this.#parts = parts;
    this.#clock = neverBack(parts.clock);
    this.#limits = parts.limits ?? LIMITS;
    this.#turnstile = new Turnstile(this.#limits);
    this.#holds = new Holds(parts.clock, (orderKey) => this.#released(orderKey));
    this.#patience = new Patience({
      clock: parts.clock,
      isLive: parts.isLive,
      lost: (orderKey) => void this.#pass(orderKey),
    });
  }

  /** Takes up what the outbox holds, and whatever is committed from now on. */
  start(): void {
    if (this.#running) return;
    this.#running = true;
    const { outbox } = this.#parts;
    this.#unsubscribe = outbox.subscribe((arrived) => this.#arrived(arrived));
    for (const receiver of outbox.receivers()) this.#queue(receiver).stored(this.#clock.now());
  }

  /** Starts no further attempt, and resolves when those under way are over and written down. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#unsubscribe?.();
    for (const queue of this.#queues.values()) queue.close();
    this.#patience.close();
    this.#holds.close();
    await this.#turnstile.drain();
    await this.#parts.sender.close();
  }

  /** Keeps back the events of a key until the returned function is called (once or more), ten seconds at most. */
  pause(orderKey: string): () => void {
    return this.#holds.begin(orderKey);
  }

  /** Sends a dead event again, and believes its URL to be usable again. False: there is no such dead event. */
  async requeue(id: string): Promise<boolean> {
    const { outbox } = this.#parts;
    const dead = outbox.findDeadLetter(id);
    if (!dead) return false;
    await outbox.enableUrl(dead.projectId, dead.url);
    if (!(await outbox.requeue(id, this.#clock.now()))) return false;
    this.#revived(dead.receiver);
    return true;
  }

  /**
   * Sends the dead events of a project again whose URLs begin so, those of each call in order; how many. A piece at a time,
   * and none that dies meanwhile.
   */
  async requeueAll(projectId: string, urlPrefix = ''): Promise<number> {
    const deadByMs = this.#clock.now();
    let count = 0;
    let after: DeadLetterCursor | undefined;
    do {
      const revived = await this.#parts.outbox.requeueAll(
        defined({ ...{ projectId, urlPrefix, deadByMs, limit: AT_ONCE, dueMs: this.#clock.now() }, after }),
      );
      count += revived.count;
      after = revived.next;
      for (const receiver of revived.receivers) this.#revived(receiver);
    } while (after);
    return count;
  }

  /** Those for which anything waits, or is under way. */
  receivers(): ReceiverView[] {
    return [...this.#queues.values()].map(({ receiver, active, circuit }) => ({
      ...partsOfReceiver(receiver),
      waiting: this.#parts.outbox.waitingFor(receiver),
      inFlight: active,
      state: circuit.state,
      ...(circuit.state === 'open' ? { openedMs: circuit.openedMs, nextProbeMs: circuit.nextProbeMs } : {}),
    }));
  }

  /** For figures. */
  counts(): { waiting: number; dead: number; inFlight: number; circuitsOpen: number; oldestMs: number } {
    const { outbox } = this.#parts;
    let circuitsOpen = 0;
    for (const { circuit } of this.#queues.values()) if (circuit.state === 'open') circuitsOpen += 1;
    const nowMs = this.#clock.now();
    const oldestMs = Math.max(0, nowMs - (outbox.oldestCreatedMs() ?? nowMs));
    return { ...outbox.counts(), inFlight: this.#turnstile.active, circuitsOpen, oldestMs };
  }

  /** What is in memory, whatever waits in the outbox. */
  inMemory(): { receivers: number; lanes: number; deliveries: number; patience: number } {
    const { size: lanes, parcels: deliveries } = this.#lanes;
    return { receivers: this.#queues.size, lanes, deliveries, patience: this.#patience.size };
  }

  #queue(receiver: string): ReceiverQueue {
    let queue = this.#queues.get(receiver);
    if (!queue) {
      queue = new ReceiverQueue(receiver, {
        outbox: this.#parts.outbox,
        clock: this.#clock,
        lanes: this.#lanes,
        turnstile: this.#turnstile,
        perReceiver: this.#limits.perReceiver,
        random: this.#parts.random,
        isRunning: () => this.#running,
        attempt: (lane, its) => this.#attempt(lane, its),
        forget: (its) => void this.#queues.delete(its.receiver),
        unreadable: (error) => this.#parts.log.error('outbox.unreadable', { error }),
      });
      this.#queues.set(receiver, queue);
    }
    return queue;
  }

  #arrived(arrived: readonly DeliveryArrival[]): void {
    for (const arrival of arrived) {
      const { orderKey, receiver, isSendable } = arrival;
      const lane = this.#lanes.ofKey(orderKey);
      if (lane) {
        this.#lanes.append(lane, arrival);
        if (lane.head.attempts > 0) this.#patience.begin(orderKey, this.#clock.now());
      } else if (isSendable) {
        this.#queue(receiver).offer(arrival);
      } else {
        this.#patience.begin(orderKey, this.#clock.now());
      }
    }
  }

  #released(orderKey: string): void {
    const lane = this.#lanes.ofKey(orderKey);
    if (lane?.isParked) this.#unpark(lane);
  }

  #unpark(lane: Lane): void {
    lane.isParked = false;
    this.#queue(lane.head.receiver).goOn(lane);
  }

  #revived(receiver: string): void {
    if (!this.#running) return;
    this.#lanes.doubt();
    const queue = this.#queue(receiver);
    queue.circuit.reset(this.#clock.now());
    queue.stored(this.#clock.now());
  }

  async #attempt(lane: Lane, queue: ReceiverQueue): Promise<void> {
    const delivery = lane.head;
    if (delivery.inLine && this.#holds.has(delivery.orderKey)) {
      lane.isParked = true;
      return;
    }
    try {
      await this.#attemptOnce(lane, queue);
    } catch (error) {
      // The outcome could not be written: it is tried again, because at least once is the promise.
      this.#parts.log.error('delivery.unrecorded', { deliveryId: delivery.id, error });
      queue.letGo(lane);
      queue.pause();
    }
  }

  async #attemptOnce(lane: Lane, queue: ReceiverQueue): Promise<void> {
    const { outbox } = this.#parts;
    const delivery = lane.head;
    const startedMs = this.#clock.now();
    const { verdict, health } = await this.#attemptOnceOnly(delivery);
    this.#believe(queue, health);
    const nowMs = this.#clock.now();
    if (verdict.outcome === 'failed' && this.#isExpired(queue, delivery)) {
      await outbox.deadLetter(delivery.id, { deadMs: nowMs, deathCause: 'exhausted' });
      this.#goOn(lane, queue);
    } else if (verdict.outcome === 'failed') {
      const dueMs = nowMs + verdict.retryInMs;
      await outbox.postpone(delivery.id, { attempts: delivery.attempts + 1, dueMs });
      const waits = delivery.inLine && (lane.next.length > 0 || lane.more);
      queue.letGo(lane);
      queue.stored(dueMs);
      if (waits) this.#lineWaits(delivery, startedMs);
    } else {
      if (verdict.outcome === 'delivered') await outbox.delivered(delivery.id);
      else {
        if (verdict.disable) await outbox.disableUrl(delivery.projectId, delivery.url, nowMs);
        await outbox.deadLetter(delivery.id, { deadMs: nowMs, deathCause: verdict.deathCause });
      }
      this.#goOn(lane, queue);
    }
    this.#unrecorded.delete(delivery.id);
    if (health === 'down') await this.#buryExpired(queue);
  }

  /** D5: one that failed may be tried again. */
  async #attemptOnceOnly(delivery: QueuedDelivery): Promise<AttemptResult> {
    const known = this.#unrecorded.get(delivery.id);
    if (known) return known;
    const attempted = await attempt(delivery, this.#parts);
    if (attempted.verdict.outcome !== 'failed' && this.#unrecorded.size < MOST_UNRECORDED) {
      this.#unrecorded.set(delivery.id, { ...attempted, health: undefined });
    }
    return attempted;
  }

  #believe({ circuit, receiver }: ReceiverQueue, health: ReceiverHealth): void {
    const before = circuit.state;
    if (health === 'up') circuit.succeeded();
    if (health === 'down') circuit.failed(this.#clock.now());
    if (circuit.state === before) return;
    const { projectId, origin } = partsOfReceiver(receiver);
    if (circuit.state === 'open') this.#parts.log.warn('receiver.down', { projectId, origin });
    else
      this.#parts.log.info(circuit.state === 'closed' ? 'receiver.up' : 'receiver.recovering', { projectId, origin });
  }

  /** The head of a lane is gone: on with its successor. */
  #goOn(lane: Lane, queue: ReceiverQueue): void {
    const { inLine, orderKey } = lane.head;
    if (inLine) this.#patience.end(orderKey);
    const isMore =
      this.#running && inLine && this.#lanes.advance(lane, (count) => this.#parts.outbox.headOfLine(orderKey, count));
    if (isMore && lane.head.receiver === queue.receiver) {
      queue.goOn(lane);
      return;
    }
    queue.letGo(lane);
    if (isMore) this.#queue(lane.head.receiver).offer(lane.head, lane.next, lane.more);
  }

  /** D2: the next in line begins to lose patience with a head that fails. */
  #lineWaits(head: QueuedDelivery, startedMs: number): void {
    const { outbox, isLive } = this.#parts;
    if (!this.#running || !isLive(head.orderKey)) return;
    const next = outbox.headOfLine(head.orderKey, 2)[1];
    if (next)
      this.#patience.begin(head.orderKey, head.attempts === 0 ? Math.max(next.createdMs, startedMs) : next.createdMs);
  }

  /** D2: the head leaves the line and goes on beside it; also when an attempt of it is under way. */
  async #pass(orderKey: string): Promise<void> {
    const { outbox, log } = this.#parts;
    const [head, next] = outbox.headOfLine(orderKey, 2);
    if (!this.#running || !head || !next) return;
    const isDown = this.#queues.get(head.receiver)?.circuit.state === 'open';
    // To pass it would help nobody while neither can be sent; afterwards its predecessor may be the first again.
    if (isDown && next.receiver === head.receiver) {
      this.#patience.begin(orderKey, this.#clock.now());
      return;
    }
    if (head.attempts === 0 && !isDown) return;
    try {
      await outbox.leaveLine(head.id);
      this.#passed(head);
    } catch (error) {
      log.error('delivery.unrecorded', { deliveryId: head.id, error });
    }
  }

  #passed(head: QueuedDelivery): void {
    if (!this.#running) return;
    const lane = this.#lanes.ofKey(head.orderKey);
    if (lane && lane.head.id !== head.id) return;
    if (lane) {
      this.#lanes.stepAside(lane);
      // Beside the line no hold is its concern.
      if (lane.isParked) this.#unpark(lane);
    }
    const [next] = this.#parts.outbox.headOfLine(head.orderKey, 1);
    if (next) this.#queue(next.receiver).offer(next, [], true);
  }

  /** D1: whether its receiver has been down for as long as the whole schedule takes, and all that time it was there. */
  #isExpired({ circuit }: ReceiverQueue, { createdMs }: QueuedDelivery): boolean {
    if (circuit.state !== 'open') return false;
    return this.#clock.now() - Math.max(circuit.openedMs, createdMs) >= REMAINING_SCHEDULE_MS[0]!;
  }

  /** D1: those of a receiver that has been down for the whole rest of their schedules. */
  async #buryExpired({ receiver, circuit, active }: ReceiverQueue): Promise<void> {
    if (circuit.state !== 'open' || active > 1) return;
    const deadMs = this.#clock.now();
    const dueByMs = REMAINING_SCHEDULE_MS.map((restMs) => (deadMs - circuit.openedMs >= restMs ? deadMs - restMs : -1));
    const { outbox, log } = this.#parts;
    let isMore = true;
    while (isMore && this.#running && circuit.state === 'open') {
      try {
        const end = { deadMs, deathCause: 'exhausted', limit: AT_ONCE } as const;
        const { count, receivers } = await outbox.deadLetterOverdue(receiver, { dueByMs, ...end });
        if (count > 0) log.warn('delivery.expired', { ...partsOfReceiver(receiver), count });
        for (const other of receivers) this.#queue(other).stored(this.#clock.now());
        isMore = count === AT_ONCE;
      } catch (error) {
        // Those that are too old are so at the next probe as well.
        log.error('delivery.unrecorded', { error });
        return;
      }
    }
  }
}
