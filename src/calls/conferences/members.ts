/**
 * Who is at a place, and how they are told of it.
 *
 * Invariants
 *  V1 nothing is told from inside a call of the place, and nothing after the visitor left;
 *  V2 what one visitor is told comes in the order in which it happened.
 */
import type { Clock } from '../../core/clock.ts';
import type { Json } from '../../core/json.ts';
import type { VenueMember } from '../../runtime/venue.ts';

/** Also who was turned away: they are told why, and leave. */
export class Visitors<Stay> {
  readonly #clock: Clock;
  readonly #present = new Map<string, { visitor: VenueMember; stay: Stay | undefined }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Without a stay: one who is turned away. */
  add(visitor: VenueMember, stay?: Stay): void {
    this.#present.set(visitor.memberId, { visitor, stay });
  }

  stayOf(memberId: string): Stay | undefined {
    return this.#present.get(memberId)?.stay;
  }

  has(memberId: string): boolean {
    return this.#present.has(memberId);
  }

  tell(memberId: string, name: string, data: Json): void {
    this.#clock.after(0, () => this.#present.get(memberId)?.visitor.emit(name, data));
  }

  remove(memberId: string): void {
    this.#present.delete(memberId);
  }
}
