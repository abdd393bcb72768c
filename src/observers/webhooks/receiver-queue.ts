/**
 * The events for one receiver. Of the lines that wait, a window is in memory; the rest is in the outbox, and comes up
 * when there is room for it, or when it is due. While the circuit is open there is nothing in memory but its probe.
 *
 * Invariants
 *  Q1 whatever may be sent is in a lane, or due in the outbox not before `#storedDueMs`;
 *  Q2 no more lanes than the window has, but for those of calls that lost patience.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import { partsOfReceiver } from '../../core/receiver.ts';
import { Circuit } from './circuit.ts';
import type { Lane, Lanes } from './lanes.ts';
import type { Outbox, QueuedDelivery } from './outbox.ts';
import type { Turnstile, TurnstileQueue } from './turnstile.ts';

export interface QueueParts {
  outbox: Pick<Outbox, 'due' | 'nextDueMs'>;
  clock: Pick<Clock, 'now' | 'after'>;
  lanes: Lanes;
  turnstile: Turnstile;
  perReceiver: number;
  random(): number;
  isRunning(): boolean;
  /** Whatever becomes of the attempt, the lane has gone on or was let go when it resolves. */
  attempt(lane: Lane, queue: ReceiverQueue): Promise<void>;
  /** Nothing waits for this receiver. */
  forget(queue: ReceiverQueue): void;
  /** The outbox could not be read. */
  unreadable(error: unknown): void;
}

/** Lanes of one receiver: enough that none of its places waits for the outbox. */
const WINDOW = 256;
/** When very many receivers have something waiting. */
const SMALL_WINDOW = 8;
const MANY_LANES = 8192;
/** After something could not be written or read. */
const PAUSE_MS = 5000;
/** What should be there to be sent, and is not: it is under way elsewhere. */
const LOOK_AGAIN_MS = 1000;

export class ReceiverQueue implements TurnstileQueue {
  readonly receiver: string;
  /** The project. */
  readonly owner: string;
  readonly circuit: Circuit;
  active = 0;
  readonly #parts: QueueParts;
  readonly #ready: Lane[] = [];
  /** Lanes: those that are ready, being sent, or parked. */
  #held = 0;
  #storedDueMs = Number.POSITIVE_INFINITY;
  #pausedUntilMs = 0;
  #isStirred = false;
  #timer: { atMs: number; timer: Timer } | undefined;

  constructor(receiver: string, parts: QueueParts) {
    this.receiver = receiver;
    this.owner = partsOfReceiver(receiver).projectId;
    this.circuit = new Circuit(parts.perReceiver, parts.random);
    this.#parts = parts;
  }

  /** Takes what may be sent into memory with what follows it, or leaves all that in the outbox. */
  offer(head: QueuedDelivery, next: QueuedDelivery[] = [], more = false): void {
    const { clock, lanes } = this.#parts;
    const nowMs = clock.now();
    const isDue = head.attempts === 0 || head.dueMs <= nowMs;
    if (isDue && this.#takesMore(nowMs) && this.#storedDueMs > nowMs && this.#held < this.#window) {
      this.#ready.push(lanes.open(head, next, more));
      this.#held += 1;
      this.#stirSoon();
    } else {
      this.stored(isDue ? nowMs : head.dueMs);
    }
  }

  /** Something in the outbox may be sent then. */
  stored(dueMs: number): void {
    this.#storedDueMs = Math.min(this.#storedDueMs, dueMs);
    this.#stirSoon();
  }

  /** The head of the lane is another one, or may be sent after all. */
  goOn(lane: Lane): void {
    if (this.#takesMore(this.#parts.clock.now())) {
      this.#ready.push(lane);
      this.#stirSoon();
    } else {
      this.letGo(lane);
      this.stored(this.#parts.clock.now());
    }
  }

  /** The lane is over, or left to the outbox. */
  letGo(lane: Lane): void {
    if (this.#parts.lanes.close(lane)) this.#held -= 1;
  }

  pause(): void {
    this.#pausedUntilMs = this.#parts.clock.now() + PAUSE_MS;
    this.stored(this.#pausedUntilMs);
  }

  mayBegin(): boolean {
    const nowMs = this.#parts.clock.now();
    if (this.#ready.length === 0 || !this.#parts.isRunning() || nowMs < this.#pausedUntilMs) return false;
    return this.circuit.permits(nowMs, this.active) > 0;
  }

  begin(): Promise<void> {
    this.circuit.begin();
    return this.#parts.attempt(this.#ready.shift()!, this);
  }

  ended(): void {
    this.#stir();
  }

  close(): void {
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  get #window(): number {
    return this.#parts.lanes.size < MANY_LANES ? WINDOW : SMALL_WINDOW;
  }

  #takesMore(nowMs: number): boolean {
    return nowMs >= this.#pausedUntilMs && this.circuit.state !== 'open';
  }

  /** Once for all that happens in this turn. */
  #stirSoon(): void {
    if (this.#isStirred) return;
    this.#isStirred = true;
    queueMicrotask(() => this.#stir());
  }

  #stir(): void {
    this.#isStirred = false;
    const { clock, turnstile, isRunning, forget } = this.#parts;
    if (!isRunning()) return;
    const nowMs = clock.now();
    if (!this.#takesMore(nowMs)) this.#unload(nowMs);
    if (nowMs >= this.#pausedUntilMs && this.#storedDueMs <= nowMs) this.#load(nowMs);
    if (this.#ready.length > 0) turnstile.enter(this);
    this.#arm(nowMs);
    const isOver = this.#held === 0 && this.active === 0 && this.#storedDueMs === Number.POSITIVE_INFINITY;
    if (isOver && !this.#isStirred) forget(this);
  }

  #unload(nowMs: number): void {
    if (this.#ready.length === 0) return;
    for (const lane of this.#ready.splice(0)) this.letGo(lane);
    this.#storedDueMs = Math.min(this.#storedDueMs, nowMs);
  }

  #load(nowMs: number): void {
    const wanted = this.#wanted(nowMs);
    if (wanted === 0) return;
    const { outbox, lanes, unreadable } = this.#parts;
    // Those that are held here are in the outbox as well.
    const limit = wanted + this.#held;
    let taken = 0;
    try {
      // So that a probe takes few events through their schedules instead of beginning with many.
      const mostTriedFirst = this.circuit.state === 'open';
      const found = outbox.due(this.receiver, { nowMs, limit, mostTriedFirst });
      const free = found.filter((delivery) => !lanes.isHeld(delivery));
      for (const delivery of free.slice(0, wanted)) {
        // Two of a line cannot be sendable; one beside and one in line can.
        this.#ready.push(lanes.open(delivery, [], delivery.inLine));
        taken += 1;
      }
      this.#held += taken;
      if (found.length < limit && taken === free.length) {
        this.#storedDueMs = outbox.nextDueMs(this.receiver, nowMs) ?? Number.POSITIVE_INFINITY;
      }
    } catch (error) {
      this.#pausedUntilMs = nowMs + PAUSE_MS;
      unreadable(error);
    }
  }

  #wanted(nowMs: number): number {
    if (this.circuit.state === 'open') return this.circuit.permits(nowMs, this.active);
    const window = this.#window;
    return this.#held <= window / 2 ? window - this.#held : 0;
  }

  #arm(nowMs: number): void {
    const atMs = this.#wakeMs(nowMs);
    if (this.#timer?.atMs === atMs) return;
    this.close();
    if (atMs === undefined) return;
    const timer = this.#parts.clock.after(atMs - nowMs, () => {
      this.#timer = undefined;
      this.#stir();
    });
    this.#timer = { atMs, timer };
  }

  /** When to look again; undefined: something else will make it look, or there is nothing to look for. */
  #wakeMs(nowMs: number): number | undefined {
    if (this.#storedDueMs === Number.POSITIVE_INFINITY) return undefined;
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs;
    if (this.circuit.state !== 'open') return this.#storedDueMs > nowMs ? this.#storedDueMs : undefined;
    if (this.active > 0 || this.#ready.length > 0) return undefined;
    const atMs = Math.max(this.#storedDueMs, this.circuit.nextProbeMs);
    return atMs > nowMs ? atMs : nowMs + LOOK_AGAIN_MS;
  }
}
