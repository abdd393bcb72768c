/** Values by secret key, each kept for ten minutes. Above a number of entries, the oldest ones are dropped. */
import type { Clock } from '../../base/core/clock.ts';

const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 10_000;

export class KeptKeys<Value> {
  readonly #clock: Clock;
  /** In the order of adding. */
  readonly #byKey = new Map<string, { value: Value; addedMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(key: string, value: Value): void {
    const addedMs = this.#clock.monotonicMs();
    this.#byKey.set(key, { value, addedMs });
    for (const [each, entry] of this.#byKey) {
      if (this.#byKey.size <= MAX_KEPT && addedMs - entry.addedMs < KEPT_MS) break;
      this.#byKey.delete(each);
    }
  }

  /** Undefined if the key is not known, or the time is over. */
  find(key: string): Value | undefined {
    const entry = this.#byKey.get(key);
    return entry && this.#clock.monotonicMs() - entry.addedMs < KEPT_MS ? entry.value : undefined;
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }
}
