/**
 * Limits of open callbacks: in total, which bounds the memory that callers can use, per project, per range of numbers,
 * and per source of the calls. A caller can show any number, so that limits by number alone stop no attacker.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { WindowCounter } from '../../../base/core/window-counter.ts';
import type { Callback } from '../conferences/callback.ts';
import { rangeOf } from './callback-targets.ts';

const MAX_KEPT = 10_000;
const MAX_OF_PROJECT = 2000;
/** Maximum open positions of a project for numbers that differ only in their last digits: fraud dials ranges. */
const MAX_OF_RANGE = 20;
/** Maximum open positions of a source, and new ones of it within the window. */
const MAX_OF_SOURCE = 20;
const SOURCE_WINDOW_MS = 3_600_000;
const MAX_SOURCES = 10_000;

type Limited = Pick<Callback, 'projectId' | 'to' | 'source'>;

export class CallbackLimits {
  readonly #bySource: WindowCounter;

  constructor(clock: Clock) {
    this.#bySource = new WindowCounter(clock, { windowMs: SOURCE_WINDOW_MS, maxKeys: MAX_SOURCES });
  }

  /** True if one more callback exceeds a limit. `own`: open callbacks of its project. */
  isReached(made: Limited, { total, own }: { total: number; own: readonly Limited[] }): boolean {
    const ofRange = own.filter(({ to }) => rangeOf(to) === rangeOf(made.to));
    if (total >= MAX_KEPT || own.length >= MAX_OF_PROJECT || ofRange.length >= MAX_OF_RANGE) return true;
    if (made.source === undefined) return false;
    const ofSource = own.filter(({ source }) => source === made.source);
    return ofSource.length >= MAX_OF_SOURCE || this.#bySource.count(keyOf(made)) >= MAX_OF_SOURCE;
  }

  /** Counts a new callback. */
  count(callback: Limited): void {
    if (callback.source !== undefined) this.#bySource.add(keyOf(callback));
  }
}

const keyOf = ({ projectId, source }: Limited): string => `${projectId}\n${source}`;
