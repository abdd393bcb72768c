/**
 * Samples on their way between two clocks of one thread that tick at the same rate but in pieces of different length.
 * Whoever finds too little takes nothing, so that one gap at the beginning evens the lengths out for good. Samples are
 * moved one by one: for a packet's worth, views of arrays would cost more than what they show.
 */
export class SampleQueue {
  readonly #ring: Int16Array;
  #head = 0;
  #length = 0;

  constructor(capacity: number) {
    this.#ring = new Int16Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** The first `count` samples of `from`, no more than there is room for in all; the oldest give way when there is no room. */
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

  /** Exactly `count` samples into `into`, or none. */
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

  clear(): void {
    this.#length = 0;
  }
}
