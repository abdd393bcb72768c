/**
 * Watches our carriers while the service runs: their addresses (calls from there are theirs), whether they respond
 * (OPTIONS, RFC 3261 §11), and our registrations with them.
 */
import type { Timer } from '../../core/clock.ts';
import { defined } from '../../core/json.ts';
import { type Carriers, type Gateway, transportOf, uriText } from './carriers.ts';
import { sendRequest } from './client-request.ts';
import type { SipContext } from './context.ts';
import type { PeerIdentity } from './known-peers.ts';
import { nameAddressText, type SipResponse } from './message.ts';
import { RegistrationClient, type RegistrationStatus } from './registration-client.ts';
import { type SrtpPolicy, strictest } from './srtp-sdp.ts';

/** How long a gateway may take to answer a probe: sooner than Timer F (RFC 3261 §17.1.2.2), for callers wait meanwhile. */
const PROBE_MS = 4_000;
/** Addresses of names may change. */
const RESOLVE_MS = 300_000;

interface WatchedGateway {
  registration: RegistrationClient | undefined;
  addresses: readonly string[];
  /** Until the next OPTIONS, or until one is given up. */
  keepalive: Timer | undefined;
}

/** For health: a gateway that is probed or registered with. */
export interface CarrierState {
  route: string;
  gateway: string;
  /** Answers probes. */
  up?: boolean;
  registered?: boolean;
  /** Status of the last REGISTER, and the time since when it is so. */
  status?: RegistrationStatus;
  since?: string;
}

export interface CarrierSource {
  /** The one that has this address, or has proved its name; the first where several have. */
  gateway: Gateway;
  /** The configured SRTP policy there: the strictest of them. */
  srtp: SrtpPolicy | undefined;
}

export class GatewayWatch {
  readonly #context: SipContext;
  readonly #carriers: Carriers;
  readonly #watched = new Map<Gateway, WatchedGateway>();
  #resolving: Timer | undefined;
  #running = false;
  /** Registrations are wanted. */
  #registering = true;

  constructor(context: SipContext, carriers: Carriers) {
    this.#context = context;
    this.#carriers = carriers;
    this.#newcomers();
  }

  /** The carriers have changed: stops watching those removed, starts watching new ones. */
  update(): void {
    for (const [gateway, { registration, keepalive }] of this.#watched) {
      if (this.#carriers.gateways.includes(gateway)) continue;
      registration?.stop();
      keepalive?.cancel();
      this.#watched.delete(gateway);
    }
    const newcomers = this.#newcomers();
    if (this.#running) this.#watch(newcomers);
  }

  #newcomers(): Gateway[] {
    const newcomers = this.#carriers.gateways.filter((gateway) => !this.#watched.has(gateway));
    for (const gateway of newcomers) {
      this.#watched.set(gateway, { registration: this.#registrationOf(gateway), addresses: [], keepalive: undefined });
    }
    return newcomers;
  }

  #registrationOf(gateway: Gateway): RegistrationClient | undefined {
    const { register, username, password } = gateway.route;
    if (!register || username === undefined || password === undefined) return undefined;
    return new RegistrationClient(this.#context, gateway, { username, password });
  }

  get #registrations(): RegistrationClient[] {
    return [...this.#watched.values()].flatMap(({ registration }) => registration ?? []);
  }

  /** How many registrations are configured, and how many are active. */
  get registrations(): { wanted: number; registered: number } {
    const registered = this.#registrations.filter(({ isRegistered }) => isRegistered).length;
    return { wanted: this.#registrations.length, registered };
  }

  /** Of each gateway that is watched by OPTIONS or registered with: what is known of it. */
  get states(): {
    labels: Gateway['figures']['labels'];
    isUp: boolean | undefined;
    isRegistered: boolean | undefined;
    /** State of the registration. */
    registration: RegistrationClient['state'] | undefined;
  }[] {
    return [...this.#watched].map(([{ route, figures, isDown }, { registration }]) => ({
      labels: figures.labels,
      isUp: route.keepaliveMs === undefined ? undefined : !isDown,
      isRegistered: registration?.isRegistered,
      registration: registration?.state,
    }));
  }

  /** Empty for gateways of which nothing is known. */
  get carrierStates(): CarrierState[] {
    return this.states.flatMap(({ labels, isUp, isRegistered, registration }) => {
      if (isUp === undefined && registration === undefined) return [];
      const since = registration && new Date(registration.sinceMs).toISOString();
      const state = { ...labels, up: isUp, registered: isRegistered, status: registration?.status, since };
      return [defined<CarrierState>(state)];
    });
  }

  start(): void {
    this.#running = true;
    this.#watch([...this.#watched.keys()]);
  }

  #watch(gateways: readonly Gateway[]): void {
    this.#resolve();
    for (const gateway of this.#registering ? gateways : []) this.#watched.get(gateway)?.registration?.start();
    for (const gateway of gateways) {
      const everyMs = gateway.route.keepaliveMs;
      if (everyMs !== undefined) this.#ask(gateway, everyMs);
    }
  }

  /** False: removes the registrations, until they are wanted again. */
  register(isWanted: boolean): void {
    if (isWanted === this.#registering) return;
    this.#registering = isWanted;
    for (const [gateway, watched] of this.#watched) {
      if (!watched.registration) continue;
      if (!isWanted) watched.registration.stop();
      else watched.registration = this.#registrationOf(gateway);
      if (isWanted && this.#running) watched.registration?.start();
    }
  }

  stop(): void {
    this.#running = false;
    this.#resolving?.cancel();
    for (const { registration, keepalive } of this.#watched.values()) {
      registration?.stop();
      keepalive?.cancel();
    }
  }

  /** Whether one of our carriers has this address. */
  knows(host: string): boolean {
    return [...this.#watched.values()].some(({ addresses }) => addresses.includes(host));
  }

  /** One of our carriers sends from there, or has proved its name (RFC 5922). */
  isCarrier({ host, names }: PeerIdentity): boolean {
    return this.knows(host) || (names !== undefined && this.#named(names).length > 0);
  }

  /** Which of our carriers that is; undefined: none. */
  carrierAt({ host, names }: PeerIdentity): CarrierSource | undefined {
    const there = [...this.#watched].flatMap(([gateway, { addresses }]) => (addresses.includes(host) ? [gateway] : []));
    const gateways = [...there, ...this.#named(names ?? [])];
    const [gateway] = gateways;
    return gateway && { gateway, srtp: strictest(gateways.map(({ route }) => route.srtp)) };
  }

  #named(names: readonly string[]): Gateway[] {
    return this.#carriers.gateways.filter(({ uri }) => names.includes(uri.host));
  }

  /** Whether this is the contact of a registration: the callee is named elsewhere then. */
  isContact(user: string): boolean {
    return this.#registrations.some(({ contactUser }) => contactUser === user);
  }

  #resolve(): void {
    for (const [gateway, watched] of this.#watched) {
      this.#context.locator
        .addressesOf(gateway.uri)
        .then((addresses) => {
          // A temporary DNS failure must not make them unknown.
          if (addresses.length > 0) watched.addresses = addresses;
        })
        .catch(() => {});
    }
    this.#resolving?.cancel();
    if (this.#watched.size > 0 && this.#running) {
      this.#resolving = this.#context.clock.after(RESOLVE_MS, () => this.#resolve());
    }
  }

  #ask(gateway: Gateway, everyMs: number): void {
    const context = this.#context;
    const uri = uriText(undefined, gateway.uri, gateway.route.transport ?? transportOf(gateway.uri));
    const [callId, tag] = [context.token() + context.token(), context.token()];
    let cseq = 0;
    let isOver = false;
    const conclude = (response: SipResponse | undefined): void => {
      const watched = this.#watched.get(gateway);
      if (isOver || !this.#running || !watched) return;
      isOver = true;
      timeout.cancel();
      // Any response is a sign of life, except one that reports overload.
      this.#mark(gateway, uri, response === undefined || response.status === 503 || response.status === 408);
      watched.keepalive = context.clock.after(Math.max(0, startedMs + everyMs - context.clock.monotonicMs()), () =>
        this.#ask(gateway, everyMs),
      );
    };
    const startedMs = context.clock.monotonicMs();
    const timeout = context.clock.after(Math.min(everyMs, PROBE_MS), () => conclude(undefined));
    const known = this.#watched.get(gateway);
    if (known) known.keepalive = timeout;
    sendRequest(context, uri, {
      credentials: undefined,
      nextCseq: () => ++cseq,
      write: (place, number) => ({
        method: 'OPTIONS',
        uri,
        routes: [],
        from: nameAddressText(`sip:${context.localUriHost('udp', place.host)}`, tag),
        to: nameAddressText(uri, undefined),
        callId,
        cseq: number,
        headers: [
          ['Contact', context.contact(place)],
          ['Accept', 'application/sdp'],
          ['User-Agent', context.userAgent],
        ],
      }),
      done: conclude,
    });
  }

  #mark(gateway: Gateway, uri: string, isDown: boolean): void {
    if (gateway.isDown === isDown) return;
    gateway.isDown = isDown;
    this.#context.log(isDown ? 'warn' : 'info', isDown ? 'sip.gateway_down' : 'sip.gateway_up', { gateway: uri });
  }
}
