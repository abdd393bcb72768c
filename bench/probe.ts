/**
 * Preloaded into a measured service (`node --import`) for figures that only the process itself knows: event-loop stalls
 * and memory. At each SIGUSR2 it appends a line to the file `BENCH_PROBE` and resets the event-loop measurement.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

export interface Probe {
  /** Longest stall of the event loop since the previous line. */
  longestStallMs: number;
  /** Memory in use after a garbage collection, inside and outside of the heap. */
  usedBytes: number;
}

const file = process.env['BENCH_PROBE'];
if (isMainThread && file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => {
    const longestStallMs = delay.max / 1e6;
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    appendFileSync(file, `${JSON.stringify({ longestStallMs, usedBytes: heapUsed + external } satisfies Probe)}\n`);
    delay.reset();
  });
}
