/**
 * Where a dialled destination goes: numbers to the carrier with the longest prefix, SIP URIs only to hosts that the
 * configuration names, `user:NAME` to where that user is registered. Nothing else is dialled: this is no open relay.
 */
import type { Credentials } from './auth.ts';
import type { Registrar } from './registrar.ts';
import type { Peer, TransportName } from './transport.ts';
import { escapeUser, hostText, parseUri, type Uri } from './uri.ts';

export interface CarrierRoute {
  /** Numbers that begin so; empty: all. */
  prefix: string;
  /** `sip:host[:port]` */
  uri: string;
  username?: string;
  password?: string;
  transport?: TransportName;
}

export interface Target {
  requestUri: string;
  /** Known already for a registered phone; to be located otherwise. */
  peer?: Peer;
  credentials?: Credentials;
}

export interface RouteTable {
  routes: readonly CarrierRoute[];
  /** Hosts, lower-case, that SIP URIs may name. */
  allowSipUris: readonly string[];
}

const USER_PREFIX = 'user:';
const LONGEST_NUMBER = 32;
const LONGEST_URI = 256;

export function targetOf(to: string, table: RouteTable, registrar: Registrar): Target | undefined {
  const text = to.trim();
  if (text.startsWith(USER_PREFIX)) {
    const contact = registrar.contactsOf(text.slice(USER_PREFIX.length))[0];
    return contact && { requestUri: contact.uri, peer: contact.peer };
  }
  if (/^sips?:/i.test(text)) return directTarget(text, table.allowSipUris);
  const number = numberOf(text);
  return number === undefined ? undefined : carrierOf(number, table.routes);
}

function numberOf(text: string): string | undefined {
  const number = text
    .trim()
    .replace(/^tel:/i, '')
    .split(';', 1)[0]!
    .replace(/[\s().-]/g, '');
  return isNumber(number) ? number : undefined;
}

/**
 * Where a far end that was called as `to` may send the call on. What may be dialled may be redirected to, with one limit:
 * the far end does not choose numbers, since calls to those cost money (toll fraud). So it names a host that SIP URIs may
 * name and no carrier of ours has, or another place of our carriers for the same number.
 */
export function redirectTarget(contact: string, to: string, table: RouteTable): Target | undefined {
  const uri = contact.length <= LONGEST_URI ? parseUri(contact) : undefined;
  if (uri?.scheme !== 'sip') return undefined;
  const number = numberOf(to);
  const same = number !== undefined && uri.user !== undefined && numberOf(uri.user) === number;
  const carrier = same ? carrierOf(number, table.routes, placeKey(uri)) : undefined;
  if (carrier) return carrier;
  const ofCarrier = table.routes.some((route) => parseUri(route.uri)?.host === uri.host);
  return ofCarrier ? undefined : directTarget(contact, table.allowSipUris);
}

export const isNumber = (text: string): boolean => text.length <= LONGEST_NUMBER && /^\+?[0-9*#]+$/.test(text);

const placeKey = (uri: Uri): string => `${uri.host}:${uri.port ?? ''}`;

/** `place`: only a carrier that is there. */
function carrierOf(number: string, routes: readonly CarrierRoute[], place?: string): Target | undefined {
  let best: CarrierRoute | undefined;
  for (const route of routes) {
    if (place !== undefined && placeOf(route) !== place) continue;
    if (number.startsWith(route.prefix) && (!best || route.prefix.length > best.prefix.length)) best = route;
  }
  const carrier = best && parseUri(best.uri);
  if (!best || !carrier || carrier.host === '') return undefined;
  const target: Target = { requestUri: uriText(number, carrier, best.transport ?? transportOf(carrier)) };
  const { username, password } = best;
  if (username !== undefined && password !== undefined) target.credentials = { username, password };
  return target;
}

function placeOf({ uri }: CarrierRoute): string | undefined {
  const parsed = parseUri(uri);
  return parsed && placeKey(parsed);
}

/** Only what names the place is kept of a caller's URI: parameters and headers could steer requests elsewhere. */
function directTarget(text: string, allowed: readonly string[]): Target | undefined {
  const uri = text.length <= LONGEST_URI ? parseUri(text) : undefined;
  if (uri?.scheme !== 'sip' || !allowed.some((host) => host.toLowerCase() === uri.host)) return undefined;
  return { requestUri: uriText(uri.user, uri, transportOf(uri)) };
}

/** Undefined: not said, so that the records of its name may tell. */
function transportOf(uri: Uri): TransportName | undefined {
  const said = uri.params['transport']?.toLowerCase();
  return said === 'udp' || said === 'tcp' ? said : undefined;
}

function uriText(user: string | undefined, place: Uri, transport: TransportName | undefined): string {
  const userPart = user === undefined ? '' : `${escapeUser(user)}@`;
  const port = place.port === undefined ? '' : `:${place.port}`;
  return `sip:${userPart}${hostText(place.host)}${port}${transport === undefined ? '' : `;transport=${transport}`}`;
}
