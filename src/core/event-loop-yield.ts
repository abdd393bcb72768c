/**
 * Giving way: a thread that computes for long must let its event loop turn now and then, or everybody else's packets wait.
 * Not for call logic, which knows no time but the clock's.
 */
import { performance } from 'node:perf_hooks';

/** One packet interval: what a caller does not hear. */
const MAX_TURN_MS = 20;

/** What it gives says whether the present turn has lasted long enough: a promise of the next one, else nothing. */
export function createEventLoopYield(longestMs = MAX_TURN_MS): () => Promise<void> | undefined {
  let startedMs: number | undefined;
  return () => {
    if (startedMs === undefined) {
      startedMs = performance.now();
      setImmediate(() => {
        startedMs = undefined;
      });
      return undefined;
    }
    if (performance.now() - startedMs < longestMs) return undefined;
    return new Promise((resolve) => setImmediate(resolve));
  };
}
