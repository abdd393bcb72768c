/**
 * Active speakers of a session: chooses whose audio and video are forwarded if the number is limited, the current and
 * the most recent speakers. A participant who talks is never replaced: another one waits until a speaker is quiet.
 */
export class ActiveSpeakers {
  readonly #limit: number;
  /** Forwarded participants, in the order in which they last talked. Current speakers are also in `#talking`. */
  #audible: string[] = [];
  readonly #talking = new Set<string>();
  /** Participants who talk and are not forwarded yet. */
  readonly #waiting = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get audible(): readonly string[] {
    return this.#audible;
  }

  /** Adds a participant, who is audible if the limit allows. True if the audible participants changed. */
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

  /** Makes waiting participants audible while the limit allows, or by replacing quiet ones. */
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
