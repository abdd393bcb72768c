/** Binary heap whose items know their index, so that any of them can be removed. */
export interface HeapItem<Item> {
  /** Set by the heap. Negative if the item is not in a heap. */
  index: number;
  isBefore(other: Item): boolean;
}

/** Invariant: no item comes before its parent. */
export class Heap<Item extends HeapItem<Item>> {
  readonly #items: Item[] = [];

  get first(): Item | undefined {
    return this.#items[0];
  }

  /** All items, in no certain order. */
  get items(): readonly Item[] {
    return this.#items;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  /** No effect for an item that is not in the heap. */
  remove(item: Item): void {
    const { index } = item;
    if (index < 0) return;
    item.index = -1;
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#rise(last, index);
    this.#sink(last, last.index);
  }

  /** Puts the item at this index or moves it up. */
  #rise(item: Item, from: number): void {
    const items = this.#items;
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = items[above]!;
      if (!item.isBefore(other)) break;
      items[place] = other;
      other.index = place;
      place = above;
    }
    items[place] = item;
    item.index = place;
  }

  /** Puts the item at this index or moves it down. */
  #sink(item: Item, from: number): void {
    const items = this.#items;
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && items[below + 1]!.isBefore(items[below]!)) below++;
      const other = items[below]!;
      if (!other.isBefore(item)) break;
      items[place] = other;
      other.index = place;
      place = below;
    }
    items[place] = item;
    item.index = place;
  }
}
