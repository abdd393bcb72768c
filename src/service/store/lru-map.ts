/**
 * Map of the most recent keys: at least `least`, at most twice as many. Older keys are dropped one half at a time,
 * because deleting the oldest key of a large `Map` is expensive: each deletion iterates over the gaps of all earlier
 * ones.
 */
export class LruMap<Key, Value> {
  readonly #least: number;
  #fresh = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  constructor(least: number) {
    this.#least = least;
  }

  get(key: Key): Value | undefined {
    return this.#fresh.get(key) ?? this.#older.get(key);
  }

  has(key: Key): boolean {
    return this.#fresh.has(key) || this.#older.has(key);
  }

  set(key: Key, value: Value): void {
    this.#fresh.set(key, value);
    if (this.#fresh.size < this.#least) return;
    this.#older = this.#fresh;
    this.#fresh = new Map();
  }
}
