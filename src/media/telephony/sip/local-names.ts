/** Names of this engine in SIP messages: host and port as each peer can reach them. Known after the transports listen. */
import { hostText } from '../../../base/core/host-text.ts';
import type { SipEnd } from '../../../base/core/sip-capture.ts';
import type { SipContext } from './context.ts';
import type { OwnAddress } from './own-address.ts';
import type { Peer, TransportName } from './transport.ts';
import type { BoundAddresses } from './transport-layer.ts';
import { escapeUser } from './uri.ts';

export class LocalNames implements Pick<SipContext, 'localUriHost' | 'contact' | 'mediaAddress'> {
  readonly #own: OwnAddress;
  /** Set while the engine listens. */
  bound: BoundAddresses = {};

  constructor(own: OwnAddress) {
    this.#own = own;
  }

  /** `host:port` for Via. */
  sentBy({ transport, host }: Pick<Peer, 'transport' | 'host'>): string {
    return this.#hostAndPort(transport, host);
  }

  localUriHost(transport: TransportName = 'udp', towards?: string): string {
    const name = this.#hostAndPort(transport, towards);
    return transport === 'udp' ? name : `${name};transport=${transport}`;
  }

  contact(
    { transport, host }: Pick<Peer, 'transport' | 'host'>,
    { user = 'callweave', secure = false }: { user?: string; secure?: boolean } = {},
  ): string {
    if (secure) return `<sips:${escapeUser(user)}@${this.#hostAndPort(transport, host)}>`;
    return `<sip:${escapeUser(user)}@${this.localUriHost(transport, host)}>`;
  }

  mediaAddress(bound: string, peer: string): string {
    return this.#own.mediaHostFor(bound, peer);
  }

  /** Returns the local address at which messages from this peer arrive, when the engine is bound to `host`. */
  endTowards(host: string, peer: Peer): SipEnd {
    const { port = 0 } = (peer.transport === 'tls' ? this.bound.tls : this.bound.plain) ?? {};
    return { host: this.#own.mediaHostFor(host, peer.host), port };
  }

  #hostAndPort(transport: TransportName, towards?: string): string {
    const { plain, tls } = this.bound;
    const { port = 5060 } = (transport === 'tls' ? tls : (plain ?? tls)) ?? {};
    return `${hostText(this.#own.hostFor(towards))}:${port}`;
  }
}
