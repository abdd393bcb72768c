/**
 * What the process has time for, by how late its beats come. A process that falls behind keeps packets waiting, and answers
 * nobody in the end: before that it sends smaller pictures, then none, and always the sound. The cap holds for all sessions.
 *
 * While a beat is overdue, everything that waits is taken in the same turn of the event loop, however much that is. Once that
 * takes longer than `SHEDDING_MS`, packets of cameras are dropped until the beat comes (`shedsNow`): a turn ends, and whoever
 * asks whether the process lives gets an answer. A process that merely had to wait for a processor drops nothing.
 *
 * Invariants
 *  - a single late beat, as every machine has them, changes nothing;
 *  - one layer for each second behind: what was taken away has to show first. After each fall that follows a rise, the next
 *    rise waits twice as long.
 */
import type { Clock } from '../../core/clock.ts';
import type { Layer } from '../sfu.ts';

const DOWNWARDS: readonly Layer[] = ['HD', 'SD', 'LD', 'off'];
/** Of each beat, so much does not count. */
const USUAL_MS = 25;
const BEHIND_MS = 1000;
/** Ten times what a full room takes for a turn. */
const SHEDDING_MS = 250;
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 160_000;

export class LoadGuard {
  readonly #clock: Clock;
  #behindMs = 0;
  #level = 0;
  #changedMs = Number.NEGATIVE_INFINITY;
  #hasRisen = false;
  #waitMs = FIRST_WAIT_MS;
  #dueMs = Number.POSITIVE_INFINITY;
  /** The first packet after the beat was due. */
  #overdueSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The best layer of cameras that there is time for. */
  get most(): Layer {
    return DOWNWARDS[this.#level]!;
  }

  /** When the next beat is due. Undefined: none. */
  expect(dueMs = Number.POSITIVE_INFINITY): void {
    this.#dueMs = dueMs;
    this.#overdueSinceMs = undefined;
  }

  /** Asked for each packet of a camera: whether this turn has no time for it. */
  shedsNow(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#dueMs) return false;
    this.#overdueSinceMs ??= nowMs;
    return nowMs - this.#overdueSinceMs > SHEDDING_MS;
  }

  /** True: `most` is another one now. */
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
    if (this.#hasRisen) this.#waitMs = Math.min(LONGEST_WAIT_MS, this.#waitMs * 2);
    this.#hasRisen = false;
    this.#changedMs = nowMs;
    if (this.#level === DOWNWARDS.length - 1) return false;
    this.#level = Math.min(DOWNWARDS.length - 1, this.#level + layers);
    return true;
  }
}
