/**
 * One wheel turns all legs of a thread. Slot n lies at n × 5 ms on the thread's own time line, so a late timer is made
 * good by the next one and nothing drifts; members of the usual 20 ms period are spread over four slots.
 *
 * Invariants
 *  W1 a member of period p is turned once in every p slots, at times exactly p × 5 ms apart, unless slots were skipped;
 *  W2 a delay of up to 200 ms is caught up slot by slot; what lies further back is skipped, because a burst of old
 *     packets is worse than a gap.
 */
export const SLOT_MS = 5;
const MAX_CATCH_UP_SLOTS = 40;

export class Wheel<T> {
  readonly #turn: (member: T, nowMs: number) => void;
  /** For each period the buckets of its phases. */
  readonly #rings = new Map<number, Set<T>[]>();
  readonly #placeOf = new Map<T, Set<T>>();
  #nextSlot = 0;

  constructor(turn: (member: T, nowMs: number) => void) {
    this.#turn = turn;
  }

  get size(): number {
    return this.#placeOf.size;
  }

  /** When the next slot is due. */
  get nextMs(): number {
    return this.#nextSlot * SLOT_MS;
  }

  has(member: T): boolean {
    return this.#placeOf.has(member);
  }

  /** Adds a member, or moves it to another period. `phase` spreads members over the slots. */
  add(member: T, place: { periodMs: number; phase: number; nowMs: number }): void {
    this.remove(member);
    if (this.size === 0) this.#nextSlot = Math.max(this.#nextSlot, Math.ceil(place.nowMs / SLOT_MS));
    const period = Math.max(1, Math.round(place.periodMs / SLOT_MS));
    let ring = this.#rings.get(period);
    if (!ring) {
      ring = Array.from({ length: period }, () => new Set<T>());
      this.#rings.set(period, ring);
    }
    const bucket = ring[place.phase % period]!;
    bucket.add(member);
    this.#placeOf.set(member, bucket);
  }

  remove(member: T): void {
    this.#placeOf.get(member)?.delete(member);
    this.#placeOf.delete(member);
  }

  /** Turns everything that is due at `nowMs`. */
  advance(nowMs: number): void {
    const due = Math.floor(nowMs / SLOT_MS);
    if (due - this.#nextSlot >= MAX_CATCH_UP_SLOTS) this.#nextSlot = due - MAX_CATCH_UP_SLOTS + 1;
    while (this.#nextSlot <= due) {
      const slot = this.#nextSlot++;
      for (const [period, ring] of this.#rings) {
        for (const member of ring[slot % period]!) this.#turn(member, slot * SLOT_MS);
      }
    }
  }
}
