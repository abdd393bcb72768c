/**
 * Samples on their way between two clocks of one thread that tick at the same rate but in pieces of different length.
 * Whoever finds too little takes nothing, so that one gap at the beginning evens the lengths out for good.
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
    const capacity = this.#ring.length;
    const start = (this.#head + this.#length) % capacity;
    const first = Math.min(count, capacity - start);
    this.#ring.set(from.subarray(0, first), start);
    if (first < count) this.#ring.set(from.subarray(first, count), 0);
    this.#length += count;
    if (this.#length > capacity) {
      this.#head = (start + count) % capacity;
      this.#length = capacity;
    }
  }

  /** Exactly `count` samples into `into`, or none. */
  read(into: Int16Array, count: number): boolean {
    if (this.#length < count) return false;
    const capacity = this.#ring.length;
    const first = Math.min(count, capacity - this.#head);
    into.set(this.#ring.subarray(this.#head, this.#head + first));
    if (first < count) into.set(this.#ring.subarray(0, count - first), first);
    this.#head = (this.#head + count) % capacity;
    this.#length -= count;
    return true;
  }

  clear(): void {
    this.#length = 0;
  }
}
