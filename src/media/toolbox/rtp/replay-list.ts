/**
 * Replay list of SRTP (RFC 3711 §3.3.2): for each source, the packets of a window before its newest one that were
 * received. Indexes are extended by rollovers.
 */

/** §3.3.2 requires at least 64. */
const WINDOW = 128;
/** Each source needs its own window; a peer may restart a few times in a call. */
const MAX_SOURCES = 8;

interface Source {
  highest: number;
  /** 1 at the index modulo the window, if that packet was received. */
  received: Uint8Array;
}

export class ReplayList {
  readonly #sources = new Map<number, Source>();

  /** Highest index that was accepted from a source; undefined before its first packet. */
  highest(ssrc: number): number | undefined {
    return this.#sources.get(ssrc)?.highest;
  }

  /** False if the packet was received already, is older than the window, or if there are too many sources. */
  mayAccept(ssrc: number, index: number): boolean {
    const source = this.#sources.get(ssrc);
    if (!source) return this.#sources.size < MAX_SOURCES;
    const behind = source.highest - index;
    return behind < 0 || (behind < WINDOW && source.received[index % WINDOW] === 0);
  }

  /** Records an authenticated packet. */
  accept(ssrc: number, index: number): void {
    let source = this.#sources.get(ssrc);
    if (!source) {
      source = { highest: index, received: new Uint8Array(WINDOW) };
      this.#sources.set(ssrc, source);
    }
    const { received, highest } = source;
    for (let skipped = Math.max(highest + 1, index - WINDOW + 1); skipped < index; skipped++) {
      received[skipped % WINDOW] = 0;
    }
    received[index % WINDOW] = 1;
    if (index > highest) source.highest = index;
  }
}
