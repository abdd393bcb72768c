/**
 * Watches the gateways of carriers while the service runs: resolves their addresses, which identify inbound calls,
 * probes them (OPTIONS, RFC 3261 §11), and registers with them.
 */
import type { Timer } from '../../../base/core/clock.ts';
import { defined } from '../../../base/core/json.ts';
import { type Carriers, type Gateway, transportOf, uriText } from './carriers.ts';
import { sendRequest } from './client-request.ts';
import type { SipContext } from './context.ts';
import { nameAddressText, type SipResponse } from './message.ts';
import { RegistrationClient, type RegistrationStatus } from './registration-client.ts';

/** Timeout of a probe: shorter than Timer F (RFC 3261 §17.1.2.2), because callers wait meanwhile. */
const PROBE_MS = 4_000;
/** Interval at which host names are resolved again. */
const RESOLVE_MS = 300_000;

interface WatchedGateway {
  registration: RegistrationClient | undefined;
  /** Timer of the next OPTIONS, or timeout of the current one. */
  keepalive: Timer | undefined;
}

/** State of a gateway that is probed or registered with, for health reports. */
export interface CarrierState {
  route: string;
  gateway: string;
  /** True if it responds to probes. */
  up?: boolean;
  registered?: boolean;
  /** Status of the last REGISTER, and the time since which it has not changed. */
  status?: RegistrationStatus;
  since?: string;
}

export class GatewayWatch {
  readonly #context: SipContext;
  readonly #carriers: Carriers;
  readonly #watched = new Map<Gateway, WatchedGateway>();
  #resolving: Timer | undefined;
  #running = false;
  /** True while registrations are wanted. */
  #registering = true;

  constructor(context: SipContext, carriers: Carriers) {
    this.#context = context;
    this.#carriers = carriers;
    this.#newcomers();
  }

  /** Applies changed carriers: stops watching removed gateways, starts watching new ones. */
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
      this.#watched.set(gateway, { registration: this.#registrationOf(gateway), keepalive: undefined });
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

  /** Number of configured and of active registrations. */
  get registrations(): { wanted: number; registered: number } {
    const registered = this.#registrations.filter(({ isRegistered }) => isRegistered).length;
    return { wanted: this.#registrations.length, registered };
  }

  /** State of each gateway that is probed or registered with. */
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

  /** Gateways without probes and registrations are left out. */
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

  /** False: removes the registrations until it is called with true. */
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

  /** True if this is the contact of a registration: the callee is then named in another header. */
  isContact(user: string): boolean {
    return this.#registrations.some(({ contactUser }) => contactUser === user);
  }

  #resolve(): void {
    for (const gateway of this.#watched.keys()) {
      this.#context.locator
        .addressesOf(gateway.uri)
        .then((addresses) => {
          // A temporary DNS failure must not make a carrier unknown.
          if (addresses.length > 0) gateway.addresses = addresses;
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
      // Any response shows that the gateway is up, except one that reports overload.
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
