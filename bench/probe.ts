/**
 * Loaded into a service that is measured (`node --import`): what only the process itself knows of its event loop and of
 * its memory. At each SIGUSR2 it appends a line to the file `BENCH_PROBE`, and measures the event loop anew.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

export interface Probe {
  /** The longest time for which the event loop did nothing else, since the line before. */
  longestStallMs: number;
  /** What is in use after a collection, in and out of the heap. */
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
