/** Answers that somebody waits for while Redis may be away. */
import { atMost, type Clock } from '../../core/clock.ts';

/** Phones repeat their requests for longer, and people wait for it. */
const ANSWER_WITHIN_MS = 2000;

/** Calls back once; undefined: the work failed, or is not done yet. */
export function inTime(clock: Clock, work: Promise<unknown>, done: (reply: unknown) => void): void {
  void atMost(clock, ANSWER_WITHIN_MS, work)
    .catch(() => undefined)
    .then(done);
}
