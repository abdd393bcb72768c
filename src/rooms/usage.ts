/** How long somebody in a session published, and what, and watched as the audience: for the call detail record. */
import type { Source } from './sfu.ts';

export class Usage {
  readonly #published = new Set<Source>();
  readonly #now = new Map<Source, number>();
  /** Of audio or video, whichever: they are one connection. */
  #publishingSinceMs: number | undefined;
  #publishedMs = 0;
  #screenMs = 0;
  #watchedMs = 0;

  /** `on` again while it is on changes nothing. The time is that of the monotonic clock. */
  set(source: Source, on: boolean, nowMs: number): void {
    if (on === this.#now.has(source)) return;
    if (on) {
      this.#published.add(source);
      this.#now.set(source, nowMs);
      this.#publishingSinceMs ??= nowMs;
      return;
    }
    if (source === 'screen') this.#screenMs += nowMs - this.#now.get(source)!;
    this.#now.delete(source);
    if (this.#now.size > 0) return;
    this.#publishedMs += nowMs - this.#publishingSinceMs!;
    this.#publishingSinceMs = undefined;
  }

  /** All that is published ends. */
  stop(nowMs: number): void {
    for (const source of [...this.#now.keys()]) this.set(source, false, nowMs);
  }

  /** A part of what the audience sees was fetched. */
  addWatched(ms: number): void {
    this.#watchedMs += ms;
  }

  get watchedMs(): number {
    return this.#watchedMs;
  }

  get publishedMs(): number {
    return this.#publishedMs;
  }

  get screenMs(): number {
    return this.#screenMs;
  }

  hasPublished(source: Source): boolean {
    return this.#published.has(source);
  }
}
