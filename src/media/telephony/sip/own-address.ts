/**
 * Address by which others reach this engine: the configured one; else the listening one; if that is a wildcard, the
 * local address of the route to the peer.
 */
import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Clock } from '../../../base/core/clock.ts';
import { isWildcard } from '../wildcard.ts';

/** 0: a host name, or all addresses, which may be of both families. */
export const familyOf = (host: string): 0 | 4 | 6 => (isIP(host) === 0 || host === '::' ? 0 : isIP(host) === 6 ? 6 : 4);

export interface OwnAddressOptions {
  /** Listening address. */
  host: string;
  /** Advertised address, for all peers. */
  advertised: string | undefined;
  clock: Clock;
  /**
   * Replaces the system's routing: returns the local address for packets to this peer, or a wildcard if there is no
   * route.
   */
  routeTo?: (peer: string) => string;
}

/** Routes change seldom, and each call looks them up several times. */
const REMEMBERED_MS = 10_000;
const REMEMBERED_PEERS = 1000;

export class OwnAddress {
  readonly #options: OwnAddressOptions;
  readonly #routes = new Map<string, { address: string; untilMs: number }>();

  constructor(options: OwnAddressOptions) {
    this.#options = options;
  }

  /** Local host in signalling with this peer; for an unknown peer, the address that most peers can reach. */
  hostFor(peer?: string): string {
    const { host, advertised } = this.#options;
    return advertised ?? this.#boundTowards(host, peer);
  }

  /** Local address for audio received on `bound`: always an IP address, of the far end's family. */
  mediaHostFor(bound: string, peer: string): string {
    const { advertised } = this.#options;
    const own = this.#boundTowards(bound, peer);
    return advertised !== undefined && isIP(advertised) !== 0 && isIP(advertised) === isIP(own) ? advertised : own;
  }

  #boundTowards(bound: string, peer: string | undefined): string {
    if (!isWildcard(bound)) return bound;
    const family = peer === undefined ? 0 : isIP(peer);
    if (peer === undefined || family === 0 || isWildcard(peer)) return externalAddress(bound);
    const known = this.#routes.get(peer);
    const nowMs = this.#options.clock.monotonicMs();
    if (known && known.untilMs > nowMs) return known.address;
    const found = (this.#options.routeTo ?? routeTo)(peer);
    const address = isWildcard(found) ? externalAddress(family === 6 ? '::' : '0.0.0.0') : found;
    if (this.#routes.size >= REMEMBERED_PEERS) this.#routes.clear();
    this.#routes.set(peer, { address, untilMs: nowMs + REMEMBERED_MS });
    return address;
  }
}

/** A connected UDP socket reveals its source address without sending a packet. */
function routeTo(peer: string): string {
  const family = isIP(peer) === 6 ? 6 : 4;
  // The lookup calls back synchronously, so that everything is done when `connect` returns.
  const socket = createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    lookup: (address, _options, found) => found(null, address, family),
  });
  // There may be no route.
  socket.on('error', () => {});
  try {
    socket.connect(9, peer);
    return socket.address().address;
  } catch {
    return family === 6 ? '::' : '0.0.0.0';
  } finally {
    socket.close();
  }
}

/** Address that others can reach, if no peer is known. */
function externalAddress(wildcard: string): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outside = (family: 'IPv4' | 'IPv6') =>
    all.find((one) => one.family === family && !one.internal && !one.address.startsWith('fe80'))?.address;
  return wildcard === '::' ? (outside('IPv6') ?? outside('IPv4') ?? '::1') : (outside('IPv4') ?? '127.0.0.1');
}
