/**
 * Round-robin queue: serves its sources in turn, one item each, in the order of their arrival; items of one source keep
 * their order. A source that was just served is behind all other waiting sources, also those that arrive later.
 */
export class Rotation<Item> {
  /** The first source is next, after the last served one has been moved to the end. */
  readonly #bySource = new Map<string, Item[]>();
  #served: string | undefined;

  get isEmpty(): boolean {
    return this.#bySource.size === 0;
  }

  add(source: string, item: Item): void {
    const items = this.#bySource.get(source);
    if (items) items.push(item);
    else this.#bySource.set(source, [item]);
  }

  next(): Item | undefined {
    this.#moveServed();
    const [first] = this.#bySource;
    if (!first) return undefined;
    const [source, items] = first;
    const item = items.shift();
    if (items.length === 0) this.#bySource.delete(source);
    this.#served = source;
    return item;
  }

  /** Removes an item from the queue. */
  drop(source: string, item: Item): void {
    const items = this.#bySource.get(source) ?? [];
    const at = items.indexOf(item);
    if (at < 0) return;
    items.splice(at, 1);
    if (items.length === 0) this.#bySource.delete(source);
  }

  /** Empties the queue and returns its items. */
  takeAll(): Item[] {
    const items = [...this.#bySource.values()].flat();
    this.#bySource.clear();
    return items;
  }

  #moveServed(): void {
    const items = this.#served === undefined ? undefined : this.#bySource.get(this.#served);
    if (!items) return;
    this.#bySource.delete(this.#served!);
    this.#bySource.set(this.#served!, items);
  }
}
