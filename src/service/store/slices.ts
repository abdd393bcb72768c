/** Splits a sequence into arrays of at most `size` items. */
export function* slicesOf<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let slice: Item[] = [];
  for (const item of items) {
    if (slice.push(item) < size) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}
