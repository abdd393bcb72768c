/**
 * The lines of which something is under way, and what stands beside its line: as much of the outbox as is in memory.
 *
 * Invariants
 *  L1 a delivery is in no two lanes, and a line is one lane at most;
 *  L2 a lane knows of every delivery of its line, or that there may be more of them.
 */
import type { DeliveryArrival, QueuedDelivery } from './outbox.ts';

/** One line, or one delivery beside: at most one attempt of it is under way. */
export interface Lane {
  head: QueuedDelivery;
  /** What comes after it, as far as it is at hand. */
  next: QueuedDelivery[];
  /** The outbox may hold others after those. */
  more: boolean;
  /** Its turn came while its key was held. */
  isParked: boolean;
}

/** Of one line. */
const MOST_AT_HAND = 8;

export class Lanes {
  readonly #lines = new Map<string, Lane>();
  readonly #heads = new Map<string, Lane>();

  get size(): number {
    return this.#heads.size;
  }

  /** Of what the outbox holds, this much is in memory. */
  get parcels(): number {
    let count = 0;
    for (const { next } of this.#heads.values()) count += 1 + next.length;
    return count;
  }

  ofKey(orderKey: string): Lane | undefined {
    return this.#lines.get(orderKey);
  }

  /** Whether it, or its line, is under way. */
  isHeld({ id, orderKey, inLine }: QueuedDelivery): boolean {
    return this.#heads.has(id) || (inLine && this.#lines.has(orderKey));
  }

  open(head: QueuedDelivery, next: QueuedDelivery[], more: boolean): Lane {
    const lane: Lane = { head, next, more, isParked: false };
    this.#heads.set(head.id, lane);
    if (head.inLine) this.#lines.set(head.orderKey, lane);
    return lane;
  }

  /** False: it was closed before. */
  close(lane: Lane): boolean {
    if (this.#heads.get(lane.head.id) !== lane) return false;
    this.#heads.delete(lane.head.id);
    if (this.#lines.get(lane.head.orderKey) === lane) this.#lines.delete(lane.head.orderKey);
    return true;
  }

  /** Its line has grown. */
  append(lane: Lane, arrival: DeliveryArrival): void {
    if (lane.more || lane.head.id === arrival.id || lane.next.some(({ id }) => id === arrival.id)) return;
    if (lane.next.length < MOST_AT_HAND) lane.next.push(arrival);
    else lane.more = true;
  }

  /** The next of its line has become its head, as `line` of the outbox tells where it has to be asked. False: there is none. */
  advance(lane: Lane, line: (count: number) => QueuedDelivery[]): boolean {
    if (lane.next.length === 0 && lane.more) {
      lane.next = line(MOST_AT_HAND);
      lane.more = lane.next.length === MOST_AT_HAND;
    }
    const head = lane.next.shift();
    if (!head) return false;
    this.#heads.delete(lane.head.id);
    lane.head = head;
    this.#heads.set(head.id, lane);
    return true;
  }

  /** Its head goes on beside the line; what follows is no longer its affair. */
  stepAside(lane: Lane): void {
    this.#lines.delete(lane.head.orderKey);
    lane.head.inLine = false;
    lane.next = [];
    lane.more = false;
  }

  /** Lines may have grown without anybody having been told. */
  doubt(): void {
    for (const lane of this.#lines.values()) lane.more = true;
  }
}
