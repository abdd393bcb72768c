/**
 * Where the RTP of a peer comes from, and so where ours goes (symmetric RTP, RFC 4961). Packets count only when they come
 * from the negotiated address, or from the one that the signalling comes from: a phone with several addresses may describe
 * one and send from another, and a router between us may translate its port.
 *
 * Invariants
 *  L1 the negotiated place is accepted at once, always;
 *  L2 any other place has to send three packets in a row of one SSRC (as RFC 3550 §A.1 asks of a new source) while the
 *     place believed so far is silent: a few forged packets move nothing, and nobody takes over a stream that goes on;
 *  L3 where signalling named the port itself, and sound was heard from it, no packet moves the stream any more;
 *  L4 streams are counted one by one: packets in between, of whoever else, do not delay the three of the peer.
 */
const SILENT_MS = 1_000;
const PACKETS_IN_A_ROW = 3;
/** Streams that are counted at a time; the oldest one goes first. */
const MOST_CANDIDATES = 16;

export interface NegotiatedAddress {
  host: string;
  port: number;
  /** Of the signalling, where it tells where the far end itself is. */
  otherHost?: string;
  /** A router translates the address that was described: which port it gives to the stream cannot be known. */
  isTranslated?: true;
}

/** What tells one stream of packets from another. */
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
  /** What the peer sent from before it was described anew: what is still on its way from there moves nothing. */
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
  isOf({ host, port, otherHost, isTranslated }: NegotiatedAddress): boolean {
    const ours = this.#negotiated;
    const isSame = host === ours.host && port === ours.port && otherHost === ours.otherHost;
    return isSame && isTranslated === ours.isTranslated;
  }

  /** Whether the peer's control packets may come from there. */
  knows(host: string): boolean {
    return host === this.#negotiated.host || host === this.#negotiated.otherHost;
  }

  /** Whether a packet from there could be the peer's: what cannot need not be looked at. */
  mayAccept(host: string, port: number, nowMs: number): boolean {
    if (this.#isNegotiated(host, port)) return true;
    if (this.#isSettled || !this.knows(host)) return false;
    if (host === this.#host && port === this.#port) return true;
    const former = this.#former;
    if (former && host === former.host && port === former.port && nowMs < former.untilMs) return false;
    return nowMs - this.#heardMs >= SILENT_MS;
  }

  /** Whether a valid RTP packet from there belongs to the peer. */
  accept(host: string, port: number, packet: StreamPacket, nowMs: number): boolean {
    if (!this.mayAccept(host, port, nowMs)) return false;
    if (this.#isNegotiated(host, port)) this.#isSettled = !this.#negotiated.isTranslated;
    else if ((host !== this.#host || port !== this.#port) && !this.#isThirdInRow(host, port, packet)) return false;
    this.#host = host;
    this.#port = port;
    this.#heardMs = nowMs;
    this.#candidates.clear();
    return true;
  }

  #isNegotiated(host: string, port: number): boolean {
    return host === this.#negotiated.host && port === this.#negotiated.port;
  }

  #isThirdInRow(host: string, port: number, { ssrc, sequence }: StreamPacket): boolean {
    const key = `${host}|${port}|${ssrc}`;
    const before = this.#candidates.get(key);
    // The network may send a packet twice.
    const isRepeated = before?.sequence === sequence;
    const isNext = before !== undefined && sequence === ((before.sequence + 1) & 0xffff);
    const packets = isNext ? before.packets + 1 : isRepeated ? before.packets : 1;
    if (!before && this.#candidates.size >= MOST_CANDIDATES) {
      this.#candidates.delete(this.#candidates.keys().next().value!);
    }
    this.#candidates.set(key, { sequence, packets });
    return packets >= PACKETS_IN_A_ROW;
  }
}
