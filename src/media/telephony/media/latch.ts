/**
 * Source address of a peer's RTP, to which packets are also sent (symmetric RTP, RFC 4961). Packets are accepted only
 * from the negotiated address, or from the address of the signalling: a phone with several addresses may describe one
 * and send from another, and a router in between may translate its port.
 *
 * Invariants
 *  - the negotiated address is always accepted at once;
 *  - any other address has to send three consecutive packets of one SSRC (as RFC 3550 §A.1 requires of a new source)
 *    while the current source is silent: a few forged packets have no effect, and a live stream cannot be taken over;
 *  - once audio was received from a port that signalling named itself, no packet moves the stream;
 *  - candidate streams are counted separately: interleaved packets of others do not delay the peer's three.
 */
const SILENT_MS = 1_000;
const PACKETS_IN_A_ROW = 3;
/** Maximum number of candidate streams; the oldest is dropped first. */
const MAX_CANDIDATES = 16;

export interface NegotiatedAddress {
  host: string;
  port: number;
  /** Signalling address, if it is the far end's own. */
  otherHost?: string;
  /** A router translates the described address, so that the port of the stream is unknown. */
  isTranslated?: true;
}

/** Identifies a packet in its stream. */
export interface StreamPacket {
  ssrc: number;
  sequence: number;
}

interface CandidateSource {
  sequence: number;
  packets: number;
}

export class Latch {
  readonly #negotiated: NegotiatedAddress;
  /** Previous source address of the peer. Packets in flight from it are ignored for a short time after a re-INVITE. */
  readonly #former: { host: string; port: number; untilMs: number } | undefined;
  readonly #candidates = new Map<string, CandidateSource>();
  #host: string;
  #port: number;
  #isSettled = false;
  #heardMs = Number.NEGATIVE_INFINITY;

  constructor(negotiated: NegotiatedAddress, former?: { latch: Latch; nowMs: number }) {
    this.#negotiated = negotiated;
    this.#host = negotiated.host;
    this.#port = negotiated.port;
    if (former) {
      const { host, port } = former.latch;
      this.#former = { host, port, untilMs: former.nowMs + SILENT_MS };
    }
  }

  /** Destination of outgoing packets. */
  get host(): string {
    return this.#host;
  }

  get port(): number {
    return this.#port;
  }

  /** True if any packet was received from the peer. */
  get wasHeard(): boolean {
    return this.#heardMs !== Number.NEGATIVE_INFINITY;
  }

  /** True if this is the negotiated address, so that what was learned about it still holds. */
  isOf({ host, port, otherHost, isTranslated }: NegotiatedAddress): boolean {
    const ours = this.#negotiated;
    const isSame = host === ours.host && port === ours.port && otherHost === ours.otherHost;
    return isSame && isTranslated === ours.isTranslated;
  }

  /** True if the peer's RTCP may come from this host. */
  knows(host: string): boolean {
    return host === this.#negotiated.host || host === this.#negotiated.otherHost;
  }

  /** True if a packet from this source could be the peer's; others need not be parsed. */
  mayAccept(host: string, port: number, nowMs: number): boolean {
    if (this.#isNegotiated(host, port)) return true;
    if (this.#isSettled || !this.knows(host)) return false;
    if (host === this.#host && port === this.#port) return true;
    const former = this.#former;
    if (former && host === former.host && port === former.port && nowMs < former.untilMs) return false;
    return nowMs - this.#heardMs >= SILENT_MS;
  }

  /** True if a valid RTP packet from this source belongs to the peer. */
  accept(host: string, port: number, packet: StreamPacket, nowMs: number): boolean {
    if (!this.mayAccept(host, port, nowMs)) return false;
    if (this.#isNegotiated(host, port)) this.#isSettled = !this.#negotiated.isTranslated;
    else if ((host !== this.#host || port !== this.#port) && !this.#isThirdInRow(host, port, packet)) return false;
    this.#host = host;
    this.#port = port;
    this.#heardMs = nowMs;
    if (this.#candidates.size > 0) this.#candidates.clear();
    return true;
  }

  #isNegotiated(host: string, port: number): boolean {
    return host === this.#negotiated.host && port === this.#negotiated.port;
  }

  #isThirdInRow(host: string, port: number, { ssrc, sequence }: StreamPacket): boolean {
    const key = `${host}|${port}|${ssrc}`;
    const before = this.#candidates.get(key);
    // The network may duplicate a packet.
    const isRepeated = before?.sequence === sequence;
    const isNext = before !== undefined && sequence === ((before.sequence + 1) & 0xffff);
    const packets = isNext ? before.packets + 1 : isRepeated ? before.packets : 1;
    if (!before && this.#candidates.size >= MAX_CANDIDATES) {
      this.#candidates.delete(this.#candidates.keys().next().value!);
    }
    this.#candidates.set(key, { sequence, packets });
    return packets >= PACKETS_IN_A_ROW;
  }
}
