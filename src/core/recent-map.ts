/**
 * Remembers what was set last: at least `least` keys, and at most twice as many. What is older is forgotten half at a time:
 * to delete the oldest key of a large `Map` is dear, since the holes of all that were deleted before it are passed each time.
 */
export class RecentMap<Key, Value> {
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
