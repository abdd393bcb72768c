/**
 * Symmetric RTP (RFC 4961) with a short leash: packets count only when they come from the negotiated address, or from
 * the one that the signalling comes from: a phone with several addresses may describe one and send from another. A peer
 * behind a port-translating router may turn out to use another port as well; it is believed once, and never while the
 * place believed so far is alive, so that nobody else at these addresses can take the stream over.
 */
const SILENT_MS = 1_000;

export interface NegotiatedPlace {
  host: string;
  port: number;
  /** Of the signalling, where it tells where the far end itself is. */
  otherHost?: string;
}

export class Latch {
  readonly #negotiated: NegotiatedPlace;
  #host: string;
  #port: number;
  #moved = false;
  #heardMs = Number.NEGATIVE_INFINITY;

  constructor(negotiated: NegotiatedPlace) {
    this.#negotiated = negotiated;
    this.#host = negotiated.host;
    this.#port = negotiated.port;
  }

  /** Where to send to. */
  get host(): string {
    return this.#host;
  }

  get port(): number {
    return this.#port;
  }

  /** Whether anything ever came from there. */
  get wasHeard(): boolean {
    return this.#heardMs !== Number.NEGATIVE_INFINITY;
  }

  /** Whether this is the place that was negotiated, so that what was learned of it still holds. */
  isOf({ host, port, otherHost }: NegotiatedPlace): boolean {
    const { host: ours, port: oursPort, otherHost: ourOther } = this.#negotiated;
    return host === ours && port === oursPort && otherHost === ourOther;
  }

  /** Whether the peer may be there at all. */
  knows(host: string): boolean {
    return host === this.#negotiated.host || host === this.#negotiated.otherHost;
  }

  /** Whether a valid RTP packet from there belongs to the peer. */
  accept(host: string, port: number, nowMs: number): boolean {
    if (!this.knows(host)) return false;
    if (host !== this.#host || port !== this.#port) {
      if (this.#moved || nowMs - this.#heardMs < SILENT_MS) return false;
      this.#moved = true;
      this.#host = host;
      this.#port = port;
    }
    this.#heardMs = nowMs;
    return true;
  }
}
