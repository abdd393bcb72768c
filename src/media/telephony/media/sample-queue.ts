/**
 * Queue of samples between two clocks of one thread with the same rate but different chunk lengths. A reader that finds
 * too few samples takes none, so that one initial gap compensates the lengths permanently. Samples are moved one by
 * one, because for so few of them array views would cost more.
 */
export class SampleQueue {
  readonly #ring: Int16Array;
  #head = 0;
  #length = 0;

  constructor(capacity: number) {
    this.#ring = new Int16Array(capacity);
  }

  /**
   * Appends the first `count` samples of `from`, up to the capacity; the oldest are overwritten if there is no room.
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
