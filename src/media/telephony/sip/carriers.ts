/**
 * Carriers: the routes of a number, longest prefix first, with the gateways of each in turn; the capacity of a route,
 * and the refusals after which the next one is tried. `outbound-routes.ts` decides which destinations may be dialled,
 * `gateway-watch.ts` which gateways respond. A number that matches no route is not dialled.
 */
import { type Cause, CONGESTION, causeOf } from '../../../base/core/causes.ts';
import type { Clock } from '../../../base/core/clock.ts';
import { Tally } from '../../../base/core/figures.ts';
import { hostText } from '../../../base/core/host-text.ts';
import { defined } from '../../../base/core/json.ts';
import type { LegSip } from '../../../base/core/leg.ts';
import type { SipHeaders } from '../../../base/core/sip-headers.ts';
import { TokenBucket } from '../../../base/core/token-bucket.ts';
import type { DigestCredentials } from './auth.ts';
import { GatewayFigures } from './gateway-figures.ts';
import type { SrtpPolicy } from './srtp-policy.ts';
import type { Peer, TransportName } from './transport.ts';
import { escapeUser, parseUri, type Uri } from './uri.ts';

/** P-Asserted-Identity, P-Preferred-Identity, or From alone. */
export type IdentityHeader = 'pai' | 'ppi' | 'from';

export interface CarrierRoute {
  /** Name in journals, records and metrics. A route that changes only its name stays the same route. */
  name?: string;
  /** Matches numbers with this prefix; empty: all. */
  prefix: string;
  /** `sip:host[:port]`, or several, tried in order. */
  uri?: string;
  gateways?: readonly string[];
  username?: string;
  password?: string;
  transport?: TransportName;
  /** True if the engine registers with the gateway (RFC 3261 §10.2) for inbound calls. */
  register?: boolean;
  /** Refusals after which the next gateway, then the next route is tried: statuses, and classes such as `5xx`. */
  failoverOn?: readonly (number | string)[];
  /** Time without a response after which the next gateway is tried, in ms. */
  tryTimeoutMs?: number;
  /** New calls per second; further calls use the next route. */
  callsPerSecond?: number;
  /** Concurrent calls; further calls use the next route. */
  maxCalls?: number;
  /** Number of leading characters to remove from a number before `add` is prepended. */
  strip?: number;
  add?: string;
  /** Host of the From; default: the local address. */
  fromDomain?: string;
  /** User of the From, by which the carrier identifies its customer; default: the number of the caller. */
  fromUser?: string;
  /** Country code by which the numbers of inbound calls are completed; default: they stay as they are. */
  country?: string;
  /** Header with the number of the caller; default: `pai`. */
  identity?: IdentityHeader;
  /** Headers of every INVITE to this carrier. */
  headers?: SipHeaders;
  /** Interval of OPTIONS to each gateway; one that does not respond is tried last. */
  keepaliveMs?: number;
  /** SRTP policy; default: the general one. */
  srtp?: SrtpPolicy;
}

export interface Gateway {
  readonly route: CarrierRoute;
  readonly uri: Uri;
  /** Resolved addresses, which identify inbound calls. */
  addresses: readonly string[];
  isDown: boolean;
  figures: GatewayFigures;
}

/** Name of the route, and URI of the gateway as the route contains it. */
export type GatewayName = Pick<LegSip, 'route' | 'gateway'>;

export const gatewayNameOf = ({ route, uri }: Pick<Gateway, 'route' | 'uri'>): GatewayName =>
  defined<GatewayName>({ route: route.name, gateway: uri.text });

/** Embedders may omit names. */
const routeName = ({ name, prefix }: CarrierRoute): string => name ?? (prefix === '' ? '*' : prefix);

const labelsOf = ({ route, uri }: Pick<Gateway, 'route' | 'uri'>): GatewayFigures['labels'] => ({
  route: routeName(route),
  gateway: uri.text,
});

export interface Target {
  requestUri: string;
  /** Address of a registered phone; otherwise it is resolved from the URI. */
  peer?: Peer;
  /** RFC 3327: proxies on the path, the next hop first; it is located instead of the URI. */
  routes?: readonly string[];
  credentials?: DigestCredentials;
  /** Route of the gateway. */
  carrier?: CarrierRoute;
  /** Gateway of that route. */
  gateway?: GatewayName;
  /** Configured SRTP policy. */
  srtp?: SrtpPolicy;
  /** Figures in which attempts are counted. */
  figures?: GatewayFigures;
}

/** Slot of a call in the capacity of a route. */
export interface RouteSlot {
  /** Acquires the slot unless it is held already. Returns the cause if there is no capacity. */
  acquire(): Cause | undefined;
  release(): void;
}

/** Targets that ring at the same time; the next attempt follows if none of them accepts the call. */
export interface DialAttempt {
  targets: readonly Target[];
  slot?: RouteSlot;
  timeoutMs: number;
  /** True if the next attempt follows a refusal with this status. */
  failsOver: (sipStatus: number) => boolean;
}

export interface RouteFigures {
  labels: { route: string };
  calls: number;
  /** Undefined if there is no limit. */
  maxCalls: number | undefined;
  refused: Tally<(typeof ROUTE_LIMITS)[number]>;
}

const DEFAULT_FAILOVER: readonly (number | string)[] = [408, '5xx'];
const DEFAULT_TRY_MS = 10_000;
const NO_CIRCUIT_AVAILABLE = causeOf(34);

/** Limits of a route. */
const ROUTE_LIMITS = ['max_calls', 'calls_per_second'] as const;

interface Route {
  readonly written: CarrierRoute;
  readonly gateways: readonly Gateway[];
  readonly pace: TokenBucket | undefined;
  calls: number;
  /** Calls that were refused because of a limit. */
  readonly refused: Tally<(typeof ROUTE_LIMITS)[number]>;
}

export class Carriers {
  readonly #clock: Clock;
  #routes: readonly Route[] = [];
  /** Gateways of all routes, which each request asks for. */
  #gateways: readonly Gateway[] = [];
  /** By labels. Figures of a gateway are kept while a route has it, whatever else of the route changes. */
  #figures: ReadonlyMap<string, GatewayFigures> = new Map<string, GatewayFigures>();

  constructor(routes: readonly CarrierRoute[], clock: Clock) {
    this.#clock = clock;
    this.setRoutes(routes);
  }

  /** Keeps a route whose configuration is unchanged, with its calls. */
  setRoutes(routes: readonly CarrierRoute[]): void {
    const known = new Map(this.#routes.map((route) => [withoutName(route.written), route]));
    this.#routes = routes.map((written) => {
      const text = withoutName(written);
      const same = known.get(text);
      known.delete(text);
      if (!same) return this.#newRoute(written);
      Object.assign(same.written, { name: written.name });
      return same;
    });
    this.#gateways = this.#routes.flatMap(({ gateways }) => gateways);
    const figures = new Map<string, GatewayFigures>();
    for (const gateway of this.#gateways) {
      const made = new GatewayFigures(labelsOf(gateway));
      gateway.figures = figures.get(made.key) ?? this.#figures.get(made.key) ?? made;
      figures.set(made.key, gateway.figures);
    }
    this.#figures = figures;
  }

  #newRoute(written: CarrierRoute): Route {
    const { callsPerSecond } = written;
    const pace =
      callsPerSecond === undefined
        ? undefined
        : new TokenBucket(this.#clock, callsPerSecond, Math.max(1, callsPerSecond));
    return { written, gateways: gatewaysOf(written), pace, calls: 0, refused: new Tally(ROUTE_LIMITS) };
  }

  get isEmpty(): boolean {
    return this.#routes.length === 0;
  }

  get figures(): { gateways: readonly GatewayFigures[]; routes: readonly RouteFigures[] } {
    const routes = this.#routes.map(
      ({ written, calls, refused }): RouteFigures => ({
        labels: { route: routeName(written) },
        calls,
        maxCalls: written.maxCalls,
        refused,
      }),
    );
    return { gateways: [...this.#figures.values()], routes };
  }

  get gateways(): readonly Gateway[] {
    return this.#gateways;
  }

  attemptsFor(number: string): DialAttempt[] {
    return this.#routesOf(number).flatMap((route) => {
      const { written, gateways } = route;
      const slot = slotOf(route);
      const codes = written.failoverOn ?? DEFAULT_FAILOVER;
      const up = [...gateways.filter(({ isDown }) => !isDown), ...gateways.filter(({ isDown }) => isDown)];
      return up.map(
        (gateway): DialAttempt => ({
          targets: [targetOf(gateway, number)],
          slot,
          timeoutMs: written.tryTimeoutMs ?? DEFAULT_TRY_MS,
          failsOver: (status) => codes.some((code) => code === status || code === `${Math.floor(status / 100)}xx`),
        }),
      );
    });
  }

  /** Returns the same number at another gateway of its routes, if one has this address. */
  targetAt(number: string, contact: Uri): Target | undefined {
    for (const { gateways } of this.#routesOf(number)) {
      const gateway = gateways.find(({ uri }) => placeKey(uri) === placeKey(contact));
      if (gateway) return targetOf(gateway, number);
    }
    return undefined;
  }

  /** Returns the number as rewritten by each of its routes. */
  namesOf(number: string): string[] {
    return this.#routesOf(number).map(({ written }) => rewritten(written, number));
  }

  /** Longest prefix first; in the order of configuration for equal lengths. */
  #routesOf(number: string): Route[] {
    return this.#routes
      .filter(({ written }) => number.startsWith(written.prefix))
      .sort((one, other) => other.written.prefix.length - one.written.prefix.length);
  }

  hasHost(host: string): boolean {
    return this.#gateways.some(({ uri }) => uri.host === host);
  }
}

function gatewaysOf(route: CarrierRoute): Gateway[] {
  const written = [...(route.uri === undefined ? [] : [route.uri]), ...(route.gateways ?? [])];
  return written.flatMap((text) => {
    const uri = parseUri(text);
    if (!uri || uri.host === '') return [];
    return { route, uri, addresses: [], isDown: false, figures: new GatewayFigures(labelsOf({ route, uri })) };
  });
}

function slotOf(route: Route): RouteSlot {
  let held = false;
  /** The route's other gateways are refused for the same reason, which is counted once. */
  let isRefused = false;
  const refuse = (limit: (typeof ROUTE_LIMITS)[number], cause: Cause): Cause => {
    if (!isRefused) route.refused.add(limit);
    isRefused = true;
    return cause;
  };
  return {
    acquire() {
      if (held) return undefined;
      const { maxCalls = Number.POSITIVE_INFINITY } = route.written;
      if (route.calls >= maxCalls) return refuse('max_calls', NO_CIRCUIT_AVAILABLE);
      if (route.pace && !route.pace.take()) return refuse('calls_per_second', CONGESTION);
      held = true;
      route.calls++;
      return undefined;
    },
    release() {
      if (!held) return;
      held = false;
      route.calls--;
    },
  };
}

function targetOf(gateway: Gateway, number: string): Target {
  const { route, uri: place } = gateway;
  const requestUri = uriText(rewritten(route, number), place, route.transport ?? transportOf(place));
  const { username, password } = route;
  const target: Target = {
    requestUri,
    carrier: route,
    gateway: gatewayNameOf(gateway),
    figures: gateway.figures,
    ...(route.srtp ? { srtp: route.srtp } : {}),
  };
  if (username !== undefined && password !== undefined) target.credentials = { username, password };
  return target;
}

const rewritten = (route: CarrierRoute, number: string): string =>
  `${route.add ?? ''}${number.slice(route.strip ?? 0)}`;

const withoutName = (route: CarrierRoute): string => JSON.stringify({ ...route, name: undefined });

const placeKey = (uri: Uri): string => `${uri.host}:${uri.port ?? ''}`;

/** Undefined if the URI has none, so that DNS decides. */
export function transportOf(uri: Uri): TransportName | undefined {
  const said = uri.params['transport']?.toLowerCase();
  return said === 'udp' || said === 'tcp' || said === 'tls' ? said : undefined;
}

/** Drops parameters and headers of a URI, which could redirect requests. */
export function uriText(user: string | undefined, place: Uri, transport: TransportName | undefined): string {
  const userPart = user === undefined ? '' : `${escapeUser(user)}@`;
  const port = place.port === undefined ? '' : `:${place.port}`;
  const how = transport === undefined ? '' : `;transport=${transport}`;
  return `${place.scheme}:${userPart}${hostText(place.host)}${port}${how}`;
}
