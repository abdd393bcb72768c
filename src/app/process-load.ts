/** What this process costs its machine: processor time, memory, and how late the event loop is, over the last seconds. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessLoad } from '../cluster/cluster.ts';
import type { Clock } from '../core/clock.ts';

/** What is asked more often than this is answered as before. */
const WINDOW_MS = 2000;
/** Each time wakes the process, also where nothing else does. */
const RESOLUTION_MS = 50;

export class ProcessLoadMeter {
  readonly #clock: Clock;
  #delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
  #sinceMs = 0;
  #cpu = process.cpuUsage();
  #last: ProcessLoad | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Measures from the first time on: undefined until there is something to say. */
  read(): ProcessLoad | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (!this.#delay) {
      this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#delay.enable();
      this.#begin(nowMs);
      return undefined;
    }
    const passedMs = nowMs - this.#sinceMs;
    if (passedMs < WINDOW_MS) return this.#last;
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#last = {
      cpu: (user + system) / 1000 / passedMs,
      memoryBytes: process.memoryUsage.rss(),
      // The histogram has whole intervals: what is beyond the resolution is late.
      loopDelayMs: Math.max(0, this.#delay.percentile(99) / 1e6 - RESOLUTION_MS),
    };
    this.#begin(nowMs);
    return this.#last;
  }

  close(): void {
    this.#delay?.disable();
  }

  #begin(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#cpu = process.cpuUsage();
    this.#delay!.reset();
  }
}
