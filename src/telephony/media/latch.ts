/**
 * Symmetric RTP (RFC 4961) with a short leash: packets count only when they come from the negotiated address. A peer
 * behind a port-translating router may turn out to use another port; it is believed once, and never while the port
 * believed so far is alive, so that nobody else at that address can take the stream over.
 */
const SILENT_MS = 1_000;

export class Latch {
  readonly host: string;
  readonly negotiatedPort: number;
  #port: number;
  #moved = false;
  #heardMs = Number.NEGATIVE_INFINITY;

  constructor(host: string, port: number) {
    this.host = host;
    this.negotiatedPort = port;
    this.#port = port;
  }

  /** Where to send to. */
  get port(): number {
    return this.#port;
  }

  /** Whether a valid RTP packet from there belongs to the peer. */
  accept(host: string, port: number, nowMs: number): boolean {
    if (host !== this.host) return false;
    if (port !== this.#port) {
      if (this.#moved || nowMs - this.#heardMs < SILENT_MS) return false;
      this.#moved = true;
      this.#port = port;
    }
    this.#heardMs = nowMs;
    return true;
  }
}
