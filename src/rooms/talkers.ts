/**
 * Whose sound and picture are forwarded where only some may be at once: those who talk, and those who talked last. Nobody
 * who talks is replaced: a newcomer waits until one of them is quiet.
 */
export class Talkers {
  readonly #limit: number;
  /** In the order in which they talked last; those who talk now are in `#talking`, too. */
  #audible: string[] = [];
  readonly #talking = new Set<string>();
  /** Talk, and are not heard. */
  readonly #waiting = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get audible(): readonly string[] {
    return this.#audible;
  }

  /** Whether the audible ones changed. While there is a place, a newcomer is audible. */
  add(id: string): boolean {
    if (this.#audible.includes(id) || this.#audible.length >= this.#limit) return false;
    this.#audible.push(id);
    return true;
  }

  remove(id: string): boolean {
    this.#talking.delete(id);
    this.#waiting.delete(id);
    const left = this.#audible.filter((one) => one !== id);
    const wasAudible = left.length < this.#audible.length;
    this.#audible = left;
    return this.#fill() || wasAudible;
  }

  talk(id: string, on: boolean): boolean {
    if (!on) {
      this.#waiting.delete(id);
      return this.#talking.delete(id) && this.#fill();
    }
    this.#waiting.add(id);
    return this.#fill();
  }

  /** Lets those in who wait, as far as there are places, or people who are quiet. */
  #fill(): boolean {
    let changed = false;
    for (const id of this.#waiting) {
      if (!this.#audible.includes(id)) {
        const quiet = this.#audible.findIndex((one) => !this.#talking.has(one));
        if (this.#audible.length >= this.#limit && quiet < 0) break;
        if (this.#audible.length >= this.#limit) this.#audible.splice(quiet, 1);
        changed = true;
      } else this.#audible = this.#audible.filter((one) => one !== id);
      this.#audible.push(id);
      this.#talking.add(id);
      this.#waiting.delete(id);
    }
    return changed;
  }
}
