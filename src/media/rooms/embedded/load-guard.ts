/**
 * Overload protection of the media process, measured by how late its timer (the beat) fires. A process that falls
 * behind delays packets, and finally stops answering; before that it caps the layers of cameras, then pauses cameras.
 * Audio and screens are always sent. The cap applies to all sessions.
 *
 * While a beat is overdue, the event loop handles all queued packets in one turn, however many. Once that takes longer
 * than `SHEDDING_MS`, camera packets are dropped until the beat runs (`shedsNow`), so that the turn ends and a liveness
 * check is answered. A process that was merely not scheduled drops no packets.
 *
 * Invariants
 *  - a single late beat, as on any machine, has no effect;
 *  - the cap falls by one layer for each second of delay, and the delay is then counted from zero, so that the effect
 *    is seen first. After each fall that follows a rise, the pause before the next rise doubles.
 */
import type { Clock } from '../../../base/core/clock.ts';
import type { Layer } from '../sfu.ts';

const DOWNWARDS: readonly Layer[] = ['HD', 'SD', 'LD', 'off'];
/** Delay of each beat that is tolerated. */
const USUAL_MS = 25;
const BEHIND_MS = 1000;
/** Ten times the duration of a turn in a full room. */
const SHEDDING_MS = 250;
const FIRST_WAIT_MS = 10_000;
const MAX_WAIT_MS = 160_000;

export class LoadGuard {
  readonly #clock: Clock;
  #behindMs = 0;
  #level = 0;
  #changedMs = Number.NEGATIVE_INFINITY;
  #hasRisen = false;
  #waitMs = FIRST_WAIT_MS;
  #dueMs = Number.POSITIVE_INFINITY;
  /** Time of the first packet after the beat was due. */
  #overdueSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Maximum camera layer for the current load. */
  get most(): Layer {
    return DOWNWARDS[this.#level]!;
  }

  /** Sets when the next beat is due. Undefined: none is scheduled. */
  expect(dueMs = Number.POSITIVE_INFINITY): void {
    this.#dueMs = dueMs;
    this.#overdueSinceMs = undefined;
  }

  /**
   * True if the camera packet has to be dropped, because this turn has taken too long. Called for each camera packet.
   */
  shedsNow(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#dueMs) return false;
    this.#overdueSinceMs ??= nowMs;
    return nowMs - this.#overdueSinceMs > SHEDDING_MS;
  }

  /** Records the delay of a beat. True if `most` changed. */
  beat(lateMs: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#behindMs = Math.max(0, this.#behindMs + lateMs - USUAL_MS);
    if (this.#behindMs >= BEHIND_MS) return this.#fall(nowMs);
    const isCalm = this.#behindMs === 0 && nowMs - this.#changedMs >= this.#waitMs;
    if (this.#level === 0 || !isCalm) return false;
    this.#level--;
    this.#hasRisen = true;
    this.#changedMs = nowMs;
    return true;
  }

  #fall(nowMs: number): boolean {
    const layers = Math.floor(this.#behindMs / BEHIND_MS);
    this.#behindMs = 0;
    if (this.#hasRisen) this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2);
    this.#hasRisen = false;
    this.#changedMs = nowMs;
    if (this.#level === DOWNWARDS.length - 1) return false;
    this.#level = Math.min(DOWNWARDS.length - 1, this.#level + layers);
    return true;
  }
}
