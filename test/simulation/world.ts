/**
 * Time, random choices and findings of one simulated history. Every event is a timer of one virtual clock, and every
 * choice is drawn from one seed: the same plan gives the same history.
 */
import type { Timer } from '../../src/base/core/clock.ts';
import { seededRandom } from '../../src/base/core/ids.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

export class World {
  readonly clock = new VirtualClock(undefined, 'promises');
  readonly startMs = this.clock.now();
  readonly #random: () => number;
  readonly #lines: string[] | undefined;

  constructor(seed: number, isTraced: boolean) {
    this.#random = seededRandom(seed);
    this.#lines = isTraced ? [] : undefined;
  }

  /** Milliseconds since the beginning. */
  get nowMs(): number {
    return this.clock.now() - this.startMs;
  }

  /** Random integer from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  after(delayMs: number, happen: () => void): Timer {
    return this.clock.after(delayMs, happen);
  }

  at(atMs: number, happen: () => void): void {
    this.after(Math.max(0, atMs - this.nowMs), happen);
  }

  /** Adds a line to a traced history; `line` is called only if there is a trace. */
  note(line: () => string): void {
    this.#lines?.push(`${String(this.nowMs).padStart(6)} ${line()}`);
  }

  get lines(): readonly string[] {
    return this.#lines ?? [];
  }
}
