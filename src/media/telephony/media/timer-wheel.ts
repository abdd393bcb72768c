/**
 * Timer wheel: one timer for all legs of a thread. Slot n is at n × 5 ms on the thread's own timeline, so that a late
 * timer is compensated by the next one and there is no drift; members of the usual 20 ms period are spread over four
 * slots. Slots are filled one after the other, because waking a thread costs more than a packet.
 *
 * Invariants
 *  - a member of period p is called once in every p slots, exactly p × 5 ms apart, unless slots were skipped;
 *  - a delay of up to 200 ms is caught up slot by slot; older slots are skipped, because a burst of old packets is
 *    worse than a gap.
 */
const SLOT_MS = 5;
const MAX_CATCH_UP_SLOTS = 40;
/** Members of a slot before the next one is used: less than a millisecond of work. */
const MEMBERS_PER_SLOT = 100;

export class TimerWheel<T> {
  readonly #turn: (member: T, nowMs: number) => void;
  /** Buckets of each phase, by period. */
  readonly #rings = new Map<number, Set<T>[]>();
  readonly #placeOf = new Map<T, Set<T>>();
  readonly #due: T[] = [];
  #nextSlot = 0;
  /** True if a member was removed or moved since the due members were collected. */
  #isChanged = false;

  constructor(turn: (member: T, nowMs: number) => void) {
    this.#turn = turn;
  }

  get size(): number {
    return this.#placeOf.size;
  }

  /** Time of the next slot with members; infinite if there is none. */
  get nextMs(): number {
    let nextSlot = Number.POSITIVE_INFINITY;
    for (const [period, ring] of this.#rings) {
      for (let ahead = 0; ahead < period; ahead++) {
        const slot = this.#nextSlot + ahead;
        if (ring[slot % period]!.size > 0) nextSlot = Math.min(nextSlot, slot);
      }
    }
    return nextSlot * SLOT_MS;
  }

  has(member: T): boolean {
    return this.#placeOf.has(member);
  }

  /** Adds a member, or moves it to another period. */
  add(member: T, place: { periodMs: number; nowMs: number }): void {
    this.remove(member);
    if (this.size === 0) this.#nextSlot = Math.max(this.#nextSlot, Math.ceil(place.nowMs / SLOT_MS));
    const period = Math.max(1, Math.round(place.periodMs / SLOT_MS));
    let ring = this.#rings.get(period);
    if (!ring) {
      ring = Array.from({ length: period }, () => new Set<T>());
      this.#rings.set(period, ring);
    }
    const cosy = ring.find((each) => each.size < MEMBERS_PER_SLOT);
    const bucket = cosy ?? ring.reduce((least, each) => (each.size < least.size ? each : least));
    bucket.add(member);
    this.#placeOf.set(member, bucket);
  }

  remove(member: T): void {
    this.#isChanged = true;
    this.#placeOf.get(member)?.delete(member);
    this.#placeOf.delete(member);
  }

  /** Calls all members that are due at `nowMs`. */
  advance(nowMs: number): void {
    const due = Math.floor(nowMs / SLOT_MS);
    if (due - this.#nextSlot >= MAX_CATCH_UP_SLOTS) this.#nextSlot = due - MAX_CATCH_UP_SLOTS + 1;
    while (this.#nextSlot <= due) {
      const slot = this.#nextSlot++;
      // Collected first: a member that leaves or moves meanwhile must not be called twice.
      const members = this.#due;
      for (const [period, ring] of this.#rings) for (const member of ring[slot % period]!) members.push(member);
      this.#isChanged = false;
      for (const member of members) {
        if (!this.#isChanged || this.#placeOf.has(member)) this.#turn(member, slot * SLOT_MS);
      }
      members.length = 0;
    }
  }
}
