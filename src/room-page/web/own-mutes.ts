/**
 * Which changes of a mute are this person's own, and which are a moderator's: the service reports both in the same words.
 * Pure.
 *
 * Invariant: what was asked for is reported in the order in which it was asked, and a report without a change says nothing.
 */
import type { Source } from '../../../client/room-client.js';

export class OwnMutes {
  readonly #asked = new Map<Source, boolean[]>();
  readonly #known = new Map<Source, boolean>();

  /** False: it is so already, and need not be asked for. */
  ask(source: Source, muted: boolean): boolean {
    const asked = this.#asked.get(source) ?? [];
    const last = asked.at(-1) ?? this.#known.get(source) ?? false;
    if (last === muted) return false;
    this.#asked.set(source, [...asked, muted]);
    return true;
  }

  /** The service says that it is so. Returns what a moderator has done. */
  report(source: Source, muted: boolean): 'muted' | 'unmuted' | undefined {
    const before = this.#known.get(source) ?? false;
    if (before === muted) return undefined;
    this.#known.set(source, muted);
    const asked = this.#asked.get(source) ?? [];
    if (asked[0] === muted) {
      this.#asked.set(source, asked.slice(1));
      return undefined;
    }
    return muted ? 'muted' : 'unmuted';
  }

  /** The service refused, or begins anew: what was asked for and not reported will not be. */
  forget(): void {
    this.#asked.clear();
  }
}
