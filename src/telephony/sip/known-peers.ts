/**
 * Whom we know by where they send from: carriers by their addresses and certificates, registered phones by the very place (transport,
 * address and port) they registered from, and the far ends of calls that are up.
 * Neighbours: the noise guard and the limits per source make exceptions of them, connections keep room for them.
 * Invariant: under a flood the answer stays cheap: phones and far ends are listed once per second at most.
 */
import type { Clock } from '../../core/clock.ts';
import { type Peer, peerText } from './transport.ts';

/** An address, and what a connection from there has proved. */
export type PeerIdentity = Pick<Peer, 'host' | 'names'>;

export interface KnownPeersParts {
  clock: Clock;
  isCarrier: (peer: PeerIdentity) => boolean;
  /** Registered now. */
  phones: () => Iterable<{ user: string; peer: Peer }>;
  /** The far ends of calls. */
  farEnds: () => Iterable<Peer>;
}

interface PeerIndex {
  listedMs: number;
  users: Map<string, string[]>;
  phoneHosts: Set<string>;
  farEnds: Set<string>;
}

const LISTED_FOR_MS = 1000;

export class KnownPeers {
  readonly #parts: KnownPeersParts;
  #places: PeerIndex | undefined;

  constructor(parts: KnownPeersParts) {
    this.#parts = parts;
  }

  isCarrier(peer: PeerIdentity): boolean {
    return this.#parts.isCarrier(peer);
  }

  /** A phone of this user, or of any, is registered from this very place. */
  isPhone(peer: Peer, user?: string): boolean {
    const users = this.#list().users.get(peerText(peer));
    return users !== undefined && (user === undefined || users.includes(user));
  }

  /** A carrier or a registered phone has this address, whatever the port. */
  isExpected(host: string): boolean {
    return this.isCarrier({ host }) || this.#list().phoneHosts.has(host);
  }

  /** A carrier, a registered phone, or who has a call with us. */
  isKnown(peer: Peer): boolean {
    return this.isCarrier(peer) || this.isPhone(peer) || this.#list().farEnds.has(peerText(peer));
  }

  #list(): PeerIndex {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#places && nowMs - this.#places.listedMs < LISTED_FOR_MS) return this.#places;
    const users = new Map<string, string[]>();
    const phoneHosts = new Set<string>();
    for (const { user, peer } of this.#parts.phones()) {
      phoneHosts.add(peer.host);
      const place = peerText(peer);
      users.set(place, [...(users.get(place) ?? []), user]);
    }
    const farEnds = new Set([...this.#parts.farEnds()].map(peerText));
    this.#places = { listedMs: nowMs, users, phoneHosts, farEnds };
    return this.#places;
  }
}
