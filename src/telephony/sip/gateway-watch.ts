/**
 * What becomes of our carriers while the service runs: which addresses they have (calls from there are theirs), whether
 * they are there (OPTIONS, RFC 3261 §11), and our registrations with them.
 */
import type { Timer } from '../../core/clock.ts';
import { type Carriers, type Gateway, transportOf, uriText } from './carriers.ts';
import { sendRequest } from './client-request.ts';
import type { SipContext } from './context.ts';
import { nameAddressText } from './message.ts';
import { RegistrationClient } from './registration-client.ts';

/** Addresses of names may change. */
const RESOLVE_MS = 300_000;

export class GatewayWatch {
  readonly #context: SipContext;
  readonly #gateways: readonly Gateway[];
  readonly #registrations: readonly RegistrationClient[];
  readonly #addresses = new Map<Gateway, readonly string[]>();
  readonly #timers = new Map<string, Timer>();
  #running = false;

  constructor(context: SipContext, carriers: Carriers) {
    this.#context = context;
    this.#gateways = carriers.gateways;
    this.#registrations = this.#gateways.flatMap((gateway) => {
      const { register, username, password } = gateway.route;
      if (!register || username === undefined || password === undefined) return [];
      return [new RegistrationClient(context, gateway, { username, password })];
    });
  }

  /** How many registrations there should be, and are. */
  get registrations(): { wanted: number; registered: number } {
    const registered = this.#registrations.filter(({ isRegistered }) => isRegistered).length;
    return { wanted: this.#registrations.length, registered };
  }

  start(): void {
    this.#running = true;
    this.#resolve();
    for (const registration of this.#registrations) registration.start();
    for (const [index, gateway] of this.#gateways.entries()) {
      if (gateway.route.keepaliveMs !== undefined) this.#ask(`keepalive ${index}`, gateway, gateway.route.keepaliveMs);
    }
  }

  stop(): void {
    this.#running = false;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    for (const registration of this.#registrations) registration.stop();
  }

  /** Whether a carrier of ours is at this address. */
  knows(host: string): boolean {
    return [...this.#addresses.values()].some((addresses) => addresses.includes(host));
  }

  /** Whether calls to this name come by a registration: whom they are for is said elsewhere then. */
  isContact(user: string): boolean {
    return this.#registrations.some(({ contactUser }) => contactUser === user);
  }

  #after(name: string, delayMs: number, then: () => void): void {
    if (this.#running) this.#timers.set(name, this.#context.clock.after(delayMs, then));
  }

  #resolve(): void {
    for (const gateway of this.#gateways) {
      this.#context.locator
        .addressesOf(gateway.uri)
        .then((addresses) => {
          // A resolver that fails for a while does not make strangers of them.
          if (addresses.length > 0) this.#addresses.set(gateway, addresses);
        })
        .catch(() => {});
    }
    if (this.#gateways.length > 0) this.#after('resolve', RESOLVE_MS, () => this.#resolve());
  }

  #ask(name: string, gateway: Gateway, everyMs: number): void {
    const context = this.#context;
    const uri = uriText(undefined, gateway.uri, gateway.route.transport ?? transportOf(gateway.uri));
    const [callId, tag] = [context.token() + context.token(), context.token()];
    let cseq = 0;
    sendRequest(context, uri, {
      credentials: undefined,
      nextCseq: () => ++cseq,
      write: ({ transport }, number) => ({
        method: 'OPTIONS',
        uri,
        routes: [],
        from: nameAddressText(`sip:${context.here()}`, tag),
        to: nameAddressText(uri, undefined),
        callId,
        cseq: number,
        headers: [
          ['Contact', context.contact(transport)],
          ['Accept', 'application/sdp'],
          ['User-Agent', context.userAgent],
        ],
      }),
      done: (response) => {
        // Any answer is a sign of life, but for one that says it has no room.
        this.#mark(gateway, uri, response === undefined || response.status === 503 || response.status === 408);
        this.#after(name, everyMs, () => this.#ask(name, gateway, everyMs));
      },
    });
  }

  #mark(gateway: Gateway, uri: string, isDown: boolean): void {
    if (gateway.isDown === isDown) return;
    gateway.isDown = isDown;
    this.#context.log(isDown ? 'warn' : 'info', isDown ? 'sip.gateway_down' : 'sip.gateway_up', { gateway: uri });
  }
}
