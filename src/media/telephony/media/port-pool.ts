/**
 * Even ports of the configured range; the odd port after each is reserved for RTCP (RFC 3550 §11). Released ports are
 * put at the end of the queue, so that late packets of one call do not reach the next.
 */
export class PortPool {
  readonly #free: number[] = [];
  /** Front of the queue, so that taking a port does not move the rest. */
  #head = 0;
  readonly #total: number;

  constructor([first, last]: readonly [number, number]) {
    for (let port = first + (first % 2); port + 1 <= last; port += 2) this.#free.push(port);
    this.#total = this.#free.length;
  }

  get size(): number {
    return this.#free.length - this.#head;
  }

  get used(): number {
    return this.#total - this.size;
  }

  take(): number | undefined {
    const port = this.#free[this.#head];
    if (port === undefined) return undefined;
    this.#head++;
    if (this.#head > 1000 && this.#head * 2 > this.#free.length) {
      this.#free.splice(0, this.#head);
      this.#head = 0;
    }
    return port;
  }

  release(port: number): void {
    this.#free.push(port);
  }
}
