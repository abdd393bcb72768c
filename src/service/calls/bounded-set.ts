/** Set of strings of bounded size, which evicts the oldest entry first. */
export class BoundedSet {
  readonly #max: number;
  readonly #all = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  has(one: string): boolean {
    return this.#all.has(one);
  }

  add(one: string): void {
    this.#all.delete(one);
    this.#all.add(one);
    if (this.#all.size > this.#max) this.#all.delete(this.#all.values().next().value!);
  }

  delete(one: string): void {
    this.#all.delete(one);
  }

  forget(isMeant: (one: string) => boolean): void {
    for (const one of this.#all) if (isMeant(one)) this.#all.delete(one);
  }
}
