/**
 * Watches our carriers while the service runs: their addresses (calls from there are theirs), whether they respond
 * (OPTIONS, RFC 3261 §11), and our registrations with them.
 */
import type { Timer } from '../../core/clock.ts';
import { type Carriers, type Gateway, transportOf, uriText } from './carriers.ts';
import { sendRequest } from './client-request.ts';
import type { SipContext } from './context.ts';
import type { PeerIdentity } from './known-peers.ts';
import { nameAddressText } from './message.ts';
import { RegistrationClient } from './registration-client.ts';
import { type SrtpPolicy, strictest } from './srtp-sdp.ts';

/** Addresses of names may change. */
const RESOLVE_MS = 300_000;

export class GatewayWatch {
  readonly #context: SipContext;
  readonly #carriers: Carriers;
  readonly #registrations = new Map<Gateway, RegistrationClient>();
  readonly #addresses = new Map<Gateway, readonly string[]>();
  /** Until the next OPTIONS; undefined: one is running. */
  readonly #keepalives = new Map<Gateway, Timer | undefined>();
  #resolving: Timer | undefined;
  #running = false;

  constructor(context: SipContext, carriers: Carriers) {
    this.#context = context;
    this.#carriers = carriers;
    this.#newcomers();
  }

  /** The carriers have changed: stops watching those removed, starts watching new ones. */
  update(): void {
    const gateways = new Set(this.#carriers.gateways);
    for (const [gateway, registration] of this.#registrations) {
      if (gateways.has(gateway)) continue;
      registration.stop();
      this.#registrations.delete(gateway);
    }
    for (const gateway of this.#addresses.keys()) if (!gateways.has(gateway)) this.#addresses.delete(gateway);
    for (const [gateway, timer] of this.#keepalives) {
      if (gateways.has(gateway)) continue;
      timer?.cancel();
      this.#keepalives.delete(gateway);
    }
    const registrations = this.#newcomers();
    if (!this.#running) return;
    for (const registration of registrations) registration.start();
    this.#resolve();
    this.#keepAlive();
  }

  #newcomers(): RegistrationClient[] {
    return this.#carriers.gateways.flatMap((gateway) => {
      const { register, username, password } = gateway.route;
      if (!register || username === undefined || password === undefined || this.#registrations.has(gateway)) return [];
      const registration = new RegistrationClient(this.#context, gateway, { username, password });
      this.#registrations.set(gateway, registration);
      return [registration];
    });
  }

  /** How many registrations are configured, and how many are active. */
  get registrations(): { wanted: number; registered: number } {
    const registered = [...this.#registrations.values()].filter(({ isRegistered }) => isRegistered).length;
    return { wanted: this.#registrations.size, registered };
  }

  start(): void {
    this.#running = true;
    this.#resolve();
    for (const registration of this.#registrations.values()) registration.start();
    this.#keepAlive();
  }

  stop(): void {
    this.#running = false;
    this.#resolving?.cancel();
    for (const timer of this.#keepalives.values()) timer?.cancel();
    this.#keepalives.clear();
    for (const registration of this.#registrations.values()) registration.stop();
  }

  /** Whether one of our carriers has this address. */
  knows(host: string): boolean {
    return [...this.#addresses.values()].some((addresses) => addresses.includes(host));
  }

  /** One of our carriers sends from there, or has proved its name (RFC 5922). */
  isCarrier({ host, names }: PeerIdentity): boolean {
    return this.knows(host) || (names !== undefined && this.#named(names).length > 0);
  }

  /** The configured SRTP policy of the carrier at this address. */
  srtpAt({ host, names }: PeerIdentity): SrtpPolicy | undefined {
    const there = [...this.#addresses].flatMap(([gateway, addresses]) => (addresses.includes(host) ? [gateway] : []));
    return strictest([...there, ...this.#named(names ?? [])].map(({ route }) => route.srtp));
  }

  #named(names: readonly string[]): Gateway[] {
    return this.#carriers.gateways.filter(({ uri }) => names.includes(uri.host));
  }

  /** Whether this is the contact of a registration: the callee is named elsewhere then. */
  isContact(user: string): boolean {
    return [...this.#registrations.values()].some(({ contactUser }) => contactUser === user);
  }

  #resolve(): void {
    const { gateways } = this.#carriers;
    for (const gateway of gateways) {
      this.#context.locator
        .addressesOf(gateway.uri)
        .then((addresses) => {
          // A temporary DNS failure must not make them unknown.
          if (addresses.length > 0 && this.#isOurs(gateway)) this.#addresses.set(gateway, addresses);
        })
        .catch(() => {});
    }
    this.#resolving?.cancel();
    if (gateways.length > 0 && this.#running) {
      this.#resolving = this.#context.clock.after(RESOLVE_MS, () => this.#resolve());
    }
  }

  #isOurs(gateway: Gateway): boolean {
    return this.#carriers.gateways.includes(gateway);
  }

  #keepAlive(): void {
    for (const gateway of this.#carriers.gateways) {
      const everyMs = gateway.route.keepaliveMs;
      if (everyMs !== undefined && !this.#keepalives.has(gateway)) this.#ask(gateway, everyMs);
    }
  }

  #ask(gateway: Gateway, everyMs: number): void {
    this.#keepalives.set(gateway, undefined);
    const context = this.#context;
    const uri = uriText(undefined, gateway.uri, gateway.route.transport ?? transportOf(gateway.uri));
    const [callId, tag] = [context.token() + context.token(), context.token()];
    let cseq = 0;
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
      done: (response) => {
        if (!this.#running || !this.#keepalives.has(gateway)) return;
        // Any response is a sign of life, except one that reports overload.
        this.#mark(gateway, uri, response === undefined || response.status === 503 || response.status === 408);
        this.#keepalives.set(
          gateway,
          context.clock.after(everyMs, () => this.#ask(gateway, everyMs)),
        );
      },
    });
  }

  #mark(gateway: Gateway, uri: string, isDown: boolean): void {
    if (gateway.isDown === isDown) return;
    gateway.isDown = isDown;
    this.#context.log(isDown ? 'warn' : 'info', isDown ? 'sip.gateway_down' : 'sip.gateway_up', { gateway: uri });
  }
}
