/**
 * Resolves a URI (RFC 3263, without NAPTR) into an ordered list of targets, each with transport, address and port.
 * Addresses and cached names are resolved synchronously, so that requests usually stay in order. Calls back once, with
 * few targets; those that failed recently come last.
 */
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '../../../base/core/clock.ts';
import { inOrder, type ServiceRecord } from './service-records.ts';
import { type Peer, peerText, type TransportName } from './transport.ts';
import type { SipLog } from './transport-layer.ts';
import { parseUri, type Uri } from './uri.ts';

/** Name resolution; returns an empty list or rejects for an unknown name. */
export interface Lookup {
  addresses(host: string): Promise<readonly string[]>;
  services(name: string): Promise<readonly ServiceRecord[]>;
}

export interface LocatorParts {
  clock: Clock;
  random: () => number;
  log: SipLog;
  lookup: Lookup;
  has: (transport: TransportName) => boolean;
  /** Family of usable addresses; 0: both. */
  family: 0 | 4 | 6;
}

interface ResolvedService extends ServiceRecord {
  transport: TransportName;
  addresses: readonly string[];
}

type Done = (places: readonly Peer[]) => void;

const TRANSPORTS: readonly TransportName[] = ['udp', 'tcp', 'tls'];
const REMEMBERED_MS = 30_000;
/** Shorter, because a name that was not found may exist soon. */
const UNKNOWN_MS = 3_000;
const REMEMBERED_NAMES = 1000;
const AVOIDED_MS = 30_000;
const MAX_AVOIDED = 1000;
/** Limit for each service, and for each URI. */
const MAX_TARGETS = 8;
/** RFC 3261 §19.1.2 */
const portOf = (transport: TransportName): number => (transport === 'tls' ? 5061 : 5060);

export class Locator {
  readonly #parts: LocatorParts;
  readonly #known = new Map<string, { services: readonly ResolvedService[]; untilMs: number }>();
  /** Running queries. */
  readonly #asking = new Map<string, Promise<readonly ResolvedService[]>>();
  readonly #shunned = new Map<string, number>();

  constructor(parts: LocatorParts) {
    this.#parts = parts;
  }

  /** Calls back synchronously for addresses, later for names; with an empty list if there is no target. */
  locate(uriText: string, done: Done): void {
    const uri = parseUri(uriText);
    const transports = uri ? this.#transportsOf(uri) : [];
    const key = uri ? `${transports.join()} ${uri.host} ${uri.port ?? ''}` : '';
    const places = uri ? this.#knownPlaces(uri, transports, key) : [];
    if (!uri || places) {
      done(places ?? []);
      return;
    }
    const { log } = this.#parts;
    const asking = this.#asking.get(key) ?? this.#ask(uri, transports, key);
    asking
      .then((services) => done(this.#placesOf(services, uri.host)))
      .catch((error) => log('error', 'sip.lookup_crashed', { error: error?.stack ?? error?.message ?? error }));
  }

  /** Returns all addresses of a URI, freshly resolved: for identification, not for sending. */
  async addressesOf(uri: Uri): Promise<string[]> {
    if (isIP(uri.host)) return [uri.host];
    const services = await this.#resolve(uri, this.#transportsOf(uri));
    return [...new Set(services.flatMap(({ addresses }) => addresses))];
  }

  has(transport: TransportName): boolean {
    return this.#parts.has(transport);
  }

  /** A target that did not respond to a request is tried last for a while. */
  avoid(place: Peer): void {
    if (this.#shunned.size >= MAX_AVOIDED) this.#shunned.clear();
    this.#shunned.set(peerText(place), this.#parts.clock.monotonicMs() + AVOIDED_MS);
  }

  isAvoided(place: Peer): boolean {
    return (this.#shunned.get(peerText(place)) ?? 0) > this.#parts.clock.monotonicMs();
  }

  /** Targets that are known without a query; undefined if a query is needed. */
  #knownPlaces({ host, port }: Uri, [transport]: readonly TransportName[], key: string): Peer[] | undefined {
    if (!transport || host === '') return [];
    if (isIP(host)) return [{ transport, host, port: port ?? portOf(transport) }];
    const known = this.#known.get(key);
    return known && known.untilMs > this.#parts.clock.monotonicMs() ? this.#placesOf(known.services, host) : undefined;
  }

  #ask(uri: Uri, transports: readonly TransportName[], key: string): Promise<readonly ResolvedService[]> {
    const resolving = this.#resolve(uri, transports).catch(() => []);
    const asking = resolving.then((services) => {
      if (this.#known.size >= REMEMBERED_NAMES) this.#known.clear();
      const lifeMs = services.some(({ addresses }) => addresses.length > 0) ? REMEMBERED_MS : UNKNOWN_MS;
      this.#known.set(key, { services, untilMs: this.#parts.clock.monotonicMs() + lifeMs });
      this.#asking.delete(key);
      return services;
    });
    this.#asking.set(key, asking);
    return asking;
  }

  /** §4.2: a URI with a port is not looked up in SRV; names without a dot are local and have no SRV records. */
  async #resolve(uri: Uri, transports: readonly TransportName[]): Promise<ResolvedService[]> {
    const { host, port } = uri;
    if (port === undefined && host.includes('.')) {
      const found = await Promise.all(transports.map((transport) => this.#services(host, transport)));
      if (found.some((services) => services !== undefined)) return found.flatMap((services) => services ?? []);
    }
    const [transport] = transports;
    if (!transport) return [];
    const addresses = await this.#addresses(host);
    return [{ transport, priority: 0, weight: 0, port: port ?? portOf(transport), name: host, addresses }];
  }

  /** Undefined: there are no records. Empty: the records declare that the service does not exist (RFC 2782). */
  async #services(host: string, transport: TransportName): Promise<ResolvedService[] | undefined> {
    const service = transport === 'tls' ? `_sips._tcp.${host}` : `_sip._${transport}.${host}`;
    const records = await this.#parts.lookup.services(service).catch(() => []);
    if (records.length === 0) return undefined;
    const usable = records.filter(({ name, port }) => name !== '' && name !== '.' && port > 0 && port <= 65_535);
    return Promise.all(
      inOrder(usable, this.#parts.random)
        .slice(0, MAX_TARGETS)
        .map(async (record) => ({ ...record, transport, addresses: await this.#addresses(record.name) })),
    );
  }

  async #addresses(host: string): Promise<string[]> {
    const { lookup, family } = this.#parts;
    const addresses = isIP(host) ? [host] : await lookup.addresses(host).catch(() => []);
    return addresses.filter((address) => isIP(address) !== 0 && (family === 0 || isIP(address) === family));
  }

  #placesOf(services: readonly ResolvedService[], asked: string): Peer[] {
    const places = TRANSPORTS.flatMap((transport) => {
      const ofTransport = services.filter((service) => service.transport === transport);
      return inOrder(ofTransport, this.#parts.random).flatMap(({ addresses, port }) =>
        addresses.map((host): Peer => withServerName({ transport, host, port }, asked)),
      );
    });
    const shunned = places.filter((place) => this.isAvoided(place));
    return [...places.filter((place) => !shunned.includes(place)), ...shunned].slice(0, MAX_TARGETS);
  }

  /** §4.1: the transport in the URI; else UDP, and TCP if SRV records name it. TLS only if the URI requests it. */
  #transportsOf(uri: Uri): TransportName[] {
    const said = uri.params['transport']?.toLowerCase();
    // RFC 3261 §19.1: TLS over TCP.
    if (uri.scheme === 'sips') return said === 'udp' ? [] : this.#having(['tls']);
    if (uri.scheme !== 'sip') return [];
    return this.#having(said === undefined ? ['udp', 'tcp'] : TRANSPORTS.filter((transport) => transport === said));
  }

  #having(transports: readonly TransportName[]): TransportName[] {
    return transports.filter((transport) => this.#parts.has(transport));
  }
}

/** A TLS server has to prove the name in the URI, whatever the records resolved it to (RFC 5922 §4). */
const withServerName = (place: Peer, name: string): Peer =>
  place.transport === 'tls' && isIP(name) === 0 ? { ...place, serverName: name } : place;

/** Name resolution of the system: DNS for services, and also the hosts file for addresses. */
export function systemLookup(): Lookup {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  return {
    services: (name) => resolver.resolveSrv(name),
    addresses: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  };
}
