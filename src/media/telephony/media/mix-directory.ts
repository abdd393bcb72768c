/** Threads in which the legs of each mix are. Threads that share a mix are informed of each other from here. */
import type { MixPeer } from './mix.ts';

export class MixDirectory<T extends { readonly number: number }> {
  readonly #setPeers: (thread: T, mixId: string, peers: MixPeer[]) => void;
  readonly #mixes = new Map<string, Map<string, T>>();
  readonly #mixOf = new Map<string, string>();

  constructor(setPeers: (thread: T, mixId: string, peers: MixPeer[]) => void) {
    this.#setPeers = setPeers;
  }

  /** To be called after the thread has received its own `join`. */
  join({ mediaId, thread }: { mediaId: string; thread: T }, mixId: string): void {
    if (this.#mixOf.get(mediaId) === mixId) return;
    this.leave(mediaId);
    const residents = this.#mixes.get(mixId) ?? new Map<string, T>();
    const before = new Set(residents.values());
    residents.set(mediaId, thread);
    this.#mixes.set(mixId, residents);
    this.#mixOf.set(mediaId, mixId);
    this.#announce(mixId, residents, before);
  }

  leave(mediaId: string): void {
    const mixId = this.#mixOf.get(mediaId);
    const residents = mixId === undefined ? undefined : this.#mixes.get(mixId);
    if (mixId === undefined || !residents) return;
    const before = new Set(residents.values());
    this.#mixOf.delete(mediaId);
    residents.delete(mediaId);
    if (residents.size === 0) this.#mixes.delete(mixId);
    this.#announce(mixId, residents, before);
  }

  /** Returns a thread with legs of the mix. */
  threadOf(mixId: string): T | undefined {
    return this.#mixes.get(mixId)?.values().next().value;
  }

  #announce(mixId: string, residents: Map<string, T>, before: ReadonlySet<T>): void {
    const counts = new Map<T, number>();
    for (const thread of residents.values()) counts.set(thread, (counts.get(thread) ?? 0) + 1);
    if (counts.size < 2 && before.size < 2) return;
    for (const thread of counts.keys()) {
      const others = [...counts].filter(([other]) => other !== thread);
      const peers = others.map(([{ number }, legs]) => ({ peer: number, legs }));
      this.#setPeers(thread, mixId, peers);
    }
  }
}
