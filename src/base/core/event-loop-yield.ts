/**
 * Keeps the event loop of a thread turning during a long computation, because packets would wait. Not for call logic,
 * whose only time source is the clock.
 */
import { performance } from 'node:perf_hooks';

/** One packet interval: a delay that a caller does not notice. */
const MAX_TURN_MS = 20;

/**
 * Creates a function to be called regularly. It returns a promise of the next turn if the current turn has lasted too
 * long.
 */
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
