/**
 * Read-ahead buffer of one broadcast's next numbers. It is small, because rows may change until they are dialled.
 * Neighbour: `broadcast-run.ts`, which dials them.
 */
import type { BroadcastOrder, NumberRow } from './broadcast.ts';
import type { BroadcastParts } from './broadcasts.ts';
import { CallingWindow } from './calling-window.ts';

/** A number due later than the maximum interval plus this slack shows that the clock was set back. */
const CLOCK_SLACK_MS = 10_000;

/** Reason why no number can be dialled now. `empty`: no number waits. */
export type Idle = 'empty' | { untilMs: number } | { problem: string };

export interface ReadAheadParts {
  order: BroadcastOrder;
  parts: Pick<BroadcastParts, 'store' | 'schedules' | 'clock'>;
  /** Maximum numbers to read at once. After these are dialled, numbers whose retry is due come first. */
  most: number;
  /** Numbers that are about to be claimed. */
  pending: ReadonlySet<number>;
  mayDial(): boolean;
}

export class ReadAhead {
  readonly #given: ReadAheadParts;
  readonly #window: CallingWindow;
  /** Maximum interval between two calls of a number. */
  readonly #maxRetryMs: number;
  #due: NumberRow[] = [];

  constructor(given: ReadAheadParts) {
    this.#given = given;
    this.#window = new CallingWindow(given.order.window, given.parts.schedules);
    this.#maxRetryMs = Math.max(...Object.values(given.order.retry).map(({ intervalMs }) => intervalMs));
  }

  /** Numbers in the buffer. */
  get count(): number {
    return this.#due.length;
  }

  take(): NumberRow | undefined {
    return this.#due.shift();
  }

  /**
   * Fills the empty buffer. Undefined if numbers are available now, or if pending claims decide whether there are any.
   */
  async read(): Promise<Idle | undefined> {
    const { order, parts, pending, mayDial } = this.#given;
    const nowMs = parts.clock.now();
    const startsMs = order.placed?.startsMs ?? nowMs;
    if (startsMs > nowMs) return { untilMs: startsMs };
    const hours = this.#window.at(nowMs);
    if (hours === 'closed') return { untilMs: this.#window.looksAgainMs(nowMs) };
    if (hours !== 'open') return hours;
    await this.#readDue(nowMs);
    if (this.#due.length > 0 || pending.size > 0 || !mayDial()) return undefined;
    const dueMs = await parts.store.nextDueMs(order.broadcastId);
    if (!mayDial()) return undefined;
    if (dueMs === undefined) return 'empty';
    if (dueMs <= nowMs + this.#maxRetryMs + CLOCK_SLACK_MS) return { untilMs: Math.max(dueMs, nowMs + 1) };
    // The clock was set back: otherwise no number would be due until the old time is reached again.
    await this.#readDue(dueMs);
    return undefined;
  }

  /** Empties the buffer, so that other nodes may dial its numbers. */
  letGo(): void {
    const { order, parts } = this.#given;
    const numbers = this.#due.map(({ number }) => number);
    this.#due = [];
    if (numbers.length === 0) return;
    // If this fails, the reservation of the numbers expires.
    parts.store.letGo?.(order.broadcastId, numbers).catch(() => undefined);
  }

  async #readDue(nowMs: number): Promise<void> {
    const { order, parts, most, pending, mayDial } = this.#given;
    const rows = await parts.store.due(order.broadcastId, nowMs, most + pending.size);
    this.#due = rows.filter(({ number }) => !pending.has(number));
    if (!mayDial()) this.letGo();
  }
}
