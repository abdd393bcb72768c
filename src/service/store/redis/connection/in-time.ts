/** Bounds the time of replies that a client waits for while Redis may be unavailable. */
import { atMost, type Clock } from '../../../../base/core/clock.ts';

/** Below the retransmission time of phones, and short enough for people. */
const ANSWER_WITHIN_MS = 2000;

/** Calls `done` once; with undefined if the work has failed or is not finished in time. */
export function inTime(clock: Clock, work: Promise<unknown>, done: (reply: unknown) => void): void {
  void atMost(clock, ANSWER_WITHIN_MS, work)
    .catch(() => undefined)
    .then(done);
}
