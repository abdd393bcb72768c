/**
 * Samples between two clocks of one thread that tick at the same rate but in pieces of different length. A reader that
 * finds too little takes nothing, so that one initial gap evens the lengths out for good. Samples are moved one by one:
 * for so few of them, array views would cost more.
 */
export class SampleQueue {
  readonly #ring: Int16Array;
  #head = 0;
  #length = 0;

  constructor(capacity: number) {
    this.#ring = new Int16Array(capacity);
  }

  /**
   * Appends the first `count` samples of `from`, at most as many as fit in all; the oldest are overwritten when there
   * is no room.
   */
  write(from: Int16Array, count: number): void {
    const ring = this.#ring;
    const capacity = ring.length;
    let at = (this.#head + this.#length) % capacity;
    for (let index = 0; index < count; index++) {
      ring[at] = from[index]!;
      if (++at === capacity) at = 0;
    }
    this.#length += count;
    if (this.#length > capacity) {
      this.#head = at;
      this.#length = capacity;
    }
  }

  /** Reads exactly `count` samples into `into`, or none. */
  read(into: Int16Array, count: number): boolean {
    if (this.#length < count) return false;
    const ring = this.#ring;
    const capacity = ring.length;
    let at = this.#head;
    for (let index = 0; index < count; index++) {
      into[index] = ring[at]!;
      if (++at === capacity) at = 0;
    }
    this.#head = at;
    this.#length -= count;
    return true;
  }
}
