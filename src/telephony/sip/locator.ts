/**
 * Where a URI is (RFC 3263, without NAPTR): its transport, address and port. Names are looked up and remembered for half
 * a minute; addresses need no waiting, so that the common case stays in order.
 */
import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import type { Peer, TransportName } from './transport.ts';
import { parseUri, type Uri } from './uri.ts';

export type Lookup = (host: string, done: (address: string | undefined) => void) => void;

const REMEMBERED_MS = 30_000;
const REMEMBERED_NAMES = 1000;

export const systemLookup: Lookup = (host, done) => lookup(host, (error, address) => done(error ? undefined : address));

export class Locator {
  readonly #clock: Clock;
  readonly #has: (transport: TransportName) => boolean;
  readonly #lookup: Lookup;
  readonly #known = new Map<string, { address: string; untilMs: number }>();

  constructor(clock: Clock, has: (transport: TransportName) => boolean, lookupName: Lookup) {
    this.#clock = clock;
    this.#has = has;
    this.#lookup = lookupName;
  }

  /** Calls back once: at once for addresses, later for names; without a peer when there is no way there. */
  locate(uriText: string, done: (peer: Peer | undefined) => void): void {
    const uri = parseUri(uriText);
    const transport = uri && this.#transportOf(uri);
    if (!uri || !transport || uri.host === '') {
      done(undefined);
      return;
    }
    const port = uri.port ?? 5060;
    if (isIP(uri.host)) {
      done({ transport, host: uri.host, port });
      return;
    }
    const known = this.#known.get(uri.host);
    if (known && known.untilMs > this.#clock.now()) {
      done({ transport, host: known.address, port });
      return;
    }
    this.#lookup(uri.host, (address) => {
      if (address === undefined) return done(undefined);
      if (this.#known.size >= REMEMBERED_NAMES) this.#known.clear();
      this.#known.set(uri.host, { address, untilMs: this.#clock.now() + REMEMBERED_MS });
      done({ transport, host: address, port });
    });
  }

  #transportOf(uri: Uri): TransportName | undefined {
    const wanted = uri.params['transport']?.toLowerCase() ?? 'udp';
    if (uri.scheme !== 'sip' || (wanted !== 'udp' && wanted !== 'tcp')) return undefined;
    return this.#has(wanted) ? wanted : undefined;
  }
}
