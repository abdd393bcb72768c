/**
 * Schedules PIN checks of one shared number, or of the rooms of one project. Some wrong PINs are checked at once, the
 * rest one every twenty seconds, with the sources in rotation. No source is refused: a guessing source waits behind the
 * others, and a correct PIN passes when its turn comes. Neighbours: `pin-attempts.ts`, `conferences/room-pins.ts`.
 *
 * Invariants
 *  - Only wrong PINs slow a queue down.
 *  - The time of a check does not depend on whether the PIN is correct.
 *  - A suspect source neither slows down the others nor is checked before them.
 */
import type { Clock, Timer } from '../../base/core/clock.ts';
import { Rotation } from '../../base/core/rotation.ts';

export interface PinCheck {
  readonly waits: boolean;
  /** Called for callers who hung up. */
  cancel(): void;
}

/** `known`: entered a correct PIN before; `suspect`: many wrong ones recently. */
export type PinSource = 'known' | 'unknown' | 'suspect';

/** True if the PIN is correct. */
export type IsRight = () => boolean;

/** Time after which a wrong PIN no longer counts. */
export const FORGOTTEN_AFTER_MS = 20_000;

export class PinQueue {
  readonly #clock: Clock;
  readonly #ofUnknown: WrongPins;
  /** Counted separately, so that known callers and attackers do not delay each other. */
  readonly #ofKnown: WrongPins;
  readonly #waiting = new Rotation<IsRight>();
  readonly #suspects = new Rotation<IsRight>();
  /** Suspects are checked one at a time, at most at the rate at which wrong PINs expire. */
  #nextSuspectMs = 0;
  #timer: Timer | undefined;

  /** `atOnce`: number of wrong PINs that are checked without delay. */
  constructor(clock: Clock, atOnce: number) {
    this.#clock = clock;
    this.#ofUnknown = new WrongPins(clock, atOnce);
    this.#ofKnown = new WrongPins(clock, atOnce);
  }

  /** Calls `isRight` when a PIN of this source may be checked: now, or in its turn. */
  pass(source: string, isRight: IsRight, kind: PinSource): PinCheck {
    if (kind === 'known' && this.#ofKnown.waitMs === 0) return this.#now(isRight, this.#ofKnown);
    const isQuiet = this.#waiting.isEmpty && this.#ofUnknown.waitMs === 0;
    if (kind !== 'suspect' && isQuiet) return this.#now(isRight, this.#ofUnknown);
    const queue = kind === 'suspect' ? this.#suspects : this.#waiting;
    queue.add(source, isRight);
    this.#wake();
    return {
      waits: true,
      cancel: () => {
        queue.drop(source, isRight);
        this.#wake();
      },
    };
  }

  #now(isRight: IsRight, wrong: WrongPins): PinCheck {
    if (!isRight()) wrong.add();
    return { waits: false, cancel: () => {} };
  }

  #wake(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#waiting.isEmpty && this.#suspects.isEmpty) return;
    this.#timer = this.#clock.after(this.#waitMs, () => {
      if (this.#waitMs === 0) this.#checkNext();
      this.#wake();
    });
  }

  get #waitMs(): number {
    const { waitMs } = this.#ofUnknown;
    if (!this.#waiting.isEmpty) return waitMs;
    return Math.max(waitMs, this.#nextSuspectMs - this.#clock.monotonicMs());
  }

  #checkNext(): void {
    const unknown = this.#waiting.next();
    const next = unknown ?? this.#suspects.next();
    if (!unknown) this.#nextSuspectMs = this.#clock.monotonicMs() + FORGOTTEN_AFTER_MS;
    if (next) this.#now(next, this.#ofUnknown);
  }
}

/** Counts wrong PINs, each of which expires after a while. */
class WrongPins {
  readonly #clock: Clock;
  readonly #atOnce: number;
  #count = 0;
  #atMs = 0;

  constructor(clock: Clock, atOnce: number) {
    this.#clock = clock;
    this.#atOnce = atOnce;
  }

  add(): void {
    this.#settle();
    this.#count += 1;
  }

  /** Milliseconds until one more may be checked; 0: now. */
  get waitMs(): number {
    this.#settle();
    return Math.max(0, Math.ceil((this.#count + 1 - this.#atOnce) * FORGOTTEN_AFTER_MS));
  }

  #settle(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#count = Math.max(0, this.#count - (nowMs - this.#atMs) / FORGOTTEN_AFTER_MS);
    this.#atMs = nowMs;
  }
}
