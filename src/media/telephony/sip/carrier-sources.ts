/**
 * Identifies the carrier that a peer belongs to: by the addresses of its gateways, which `gateway-watch.ts` resolves, or
 * by a name that the connection has proved (RFC 5922).
 */
import type { Carriers, Gateway } from './carriers.ts';
import type { PeerIdentity } from './known-peers.ts';
import { type SrtpPolicy, strictest } from './srtp-policy.ts';

export interface CarrierSource {
  /** Gateway with this address, or whose name the peer has proved; the first one if several match. */
  gateway: Gateway;
  /** Configured SRTP policy: the strictest of all matches. */
  srtp: SrtpPolicy | undefined;
}

export class CarrierSources {
  readonly #carriers: Pick<Carriers, 'gateways'>;

  constructor(carriers: Pick<Carriers, 'gateways'>) {
    this.#carriers = carriers;
  }

  /** True if a carrier has this address. */
  hasAddress(host: string): boolean {
    return this.#carriers.gateways.some(({ addresses }) => addresses.includes(host));
  }

  /** True if a carrier sends from this address, or the peer has proved its name. */
  isCarrier({ host, names }: PeerIdentity): boolean {
    return this.hasAddress(host) || (names !== undefined && this.#named(names).length > 0);
  }

  /** Returns the matching carrier, if any. */
  find({ host, names }: PeerIdentity): CarrierSource | undefined {
    const there = this.#carriers.gateways.filter(({ addresses }) => addresses.includes(host));
    const gateways = [...there, ...this.#named(names ?? [])];
    const [gateway] = gateways;
    return gateway && { gateway, srtp: strictest(gateways.map(({ route }) => route.srtp)) };
  }

  #named(names: readonly string[]): Gateway[] {
    return this.#carriers.gateways.filter(({ uri }) => names.includes(uri.host));
  }
}
