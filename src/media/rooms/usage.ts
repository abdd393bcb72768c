/** Time for which a participant published, by source, and watched the live stream: for the call detail record. */
import type { TrackSource } from './sfu.ts';

export class Usage {
  readonly #published = new Set<TrackSource>();
  readonly #now = new Map<TrackSource, number>();
  /** Start of publishing audio or video, counted together because they share one connection. */
  #publishingSinceMs: number | undefined;
  #publishedMs = 0;
  #screenMs = 0;
  #watchedMs = 0;

  /** Starts or stops a source; has no effect if it is in that state. `nowMs` is on the monotonic clock. */
  set(source: TrackSource, on: boolean, nowMs: number): void {
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

  /** Stops all sources. */
  stop(nowMs: number): void {
    for (const source of [...this.#now.keys()]) this.set(source, false, nowMs);
  }

  /** Adds a fetched segment of the live stream. */
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

  hasPublished(source: TrackSource): boolean {
    return this.#published.has(source);
  }
}
