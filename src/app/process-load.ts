/** Load of this process over the last seconds: CPU time, memory and event loop delay. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../base/core/clock.ts';
import type { ProcessLoad } from '../service/cluster/cluster.ts';

/** More frequent reads return the previous result. */
const WINDOW_MS = 2000;
/** A finer resolution would wake an idle process more often. */
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

  /** Starts to measure on the first call, which returns undefined. */
  read(): ProcessLoad | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (!this.#delay) {
      this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#delay.enable();
      this.#start(nowMs);
      return undefined;
    }
    const passedMs = nowMs - this.#sinceMs;
    if (passedMs < WINDOW_MS) return this.#last;
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#last = {
      cpu: (user + system) / 1000 / passedMs,
      memoryBytes: process.memoryUsage.rss(),
      // The histogram contains whole intervals: only the excess over the resolution is delay.
      loopDelayMs: Math.max(0, this.#delay.percentile(99) / 1e6 - RESOLUTION_MS),
    };
    this.#start(nowMs);
    return this.#last;
  }

  close(): void {
    this.#delay?.disable();
  }

  #start(nowMs: number): void {
    this.#sinceMs = nowMs;
    this.#cpu = process.cpuUsage();
    this.#delay!.reset();
  }
}
