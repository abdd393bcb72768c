/**
 * A thread that computes for long must let its event loop turn now and then, or packets wait.
 * Not for call logic, which knows no time but the clock's.
 */
import { performance } from 'node:perf_hooks';

/** One packet interval: what a caller does not hear. */
const MAX_TURN_MS = 20;

/** Makes a function to call now and then: it returns a promise of the next turn when the present one has lasted too long. */
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
