/** Which threads the legs of each mix live in: threads that share a mix are told of each other. */
import type { MixPeer } from './mix.ts';

/** What a thread is told; `T` stands for it. */
export interface MixResident<T> {
  mediaId: string;
  thread: T;
}

export class MixDirectory<T extends { readonly number: number }> {
  readonly #tell: (thread: T, mixId: string, peers: MixPeer[]) => void;
  readonly #mixes = new Map<string, Map<string, T>>();
  readonly #mixOf = new Map<string, string>();

  constructor(tell: (thread: T, mixId: string, peers: MixPeer[]) => void) {
    this.#tell = tell;
  }

  /** To be called after its thread was told. */
  join({ mediaId, thread }: MixResident<T>, mixId: string): void {
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

  #announce(mixId: string, residents: Map<string, T>, before: ReadonlySet<T>): void {
    const counts = new Map<T, number>();
    for (const thread of residents.values()) counts.set(thread, (counts.get(thread) ?? 0) + 1);
    if (counts.size < 2 && before.size < 2) return;
    for (const thread of counts.keys()) {
      const peers = [...counts].filter(([other]) => other !== thread);
      this.#tell(
        thread,
        mixId,
        peers.map(([{ number }, legs]) => ({ peer: number, legs })),
      );
    }
  }
}
