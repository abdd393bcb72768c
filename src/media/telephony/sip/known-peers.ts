/**
 * Peers that are known by their source: carriers by address and certificate, edge proxies by address, registered phones
 * by the exact transport, address and port of their REGISTER, and the far ends of live calls. The abuse guard and the
 * limits by source exempt them, and connections are reserved for them.
 * The index is rebuilt at most once per second, which keeps it cheap under a flood.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { type Peer, peerText } from './transport.ts';

/** Address, and the names that its connection has proved. */
export type PeerIdentity = Pick<Peer, 'host' | 'names'>;

export interface KnownPeersParts {
  clock: Clock;
  isCarrier: (peer: PeerIdentity) => boolean;
  /** True for a configured edge proxy. */
  isEdge: (host: string) => boolean;
  /** Phones that are registered now. */
  phones: () => Iterable<{ user: string; peer: Peer }>;
  /** Far ends of calls. */
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

  /** True for an edge proxy, which forwards the requests of many phones. */
  isEdge(host: string): boolean {
    return this.#parts.isEdge(host);
  }

  /** True if a phone of this user, or of any user, is registered from exactly this source. */
  isPhone(peer: Peer, user?: string): boolean {
    const users = this.#list().users.get(peerText(peer));
    return users !== undefined && (user === undefined || users.includes(user));
  }

  /** True if a carrier, an edge proxy or a registered phone has this address, with any port. */
  isExpected(host: string): boolean {
    return this.isCarrier({ host }) || this.isEdge(host) || this.#list().phoneHosts.has(host);
  }

  /** True for a carrier, an edge proxy, a registered phone, or the far end of a call. */
  isKnown(peer: Peer): boolean {
    return (
      this.isCarrier(peer) || this.isEdge(peer.host) || this.isPhone(peer) || this.#list().farEnds.has(peerText(peer))
    );
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
