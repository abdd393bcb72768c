/**
 * Distinguishes changes of a mute by this participant from those by a moderator: the service reports both in the same
 * way. Pure.
 *
 * Invariant: requests are reported in their order, and a report without a change has no meaning.
 */
import type { Source } from '../../../../client/room-client.js';

export class OwnMutes {
  readonly #asked = new Map<Source, boolean[]>();
  readonly #known = new Map<Source, boolean>();

  /** False if the source is in that state already, and no request is needed. */
  ask(source: Source, muted: boolean): boolean {
    const asked = this.#asked.get(source) ?? [];
    const last = asked.at(-1) ?? this.#known.get(source) ?? false;
    if (last === muted) return false;
    this.#asked.set(source, [...asked, muted]);
    return true;
  }

  /** Handles a report of the service. Returns the action of a moderator, if any. */
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

  /** The service refused, or media restarted: pending requests will not be reported. */
  forget(): void {
    this.#asked.clear();
  }
}
