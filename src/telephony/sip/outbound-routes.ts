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
  const number = text
    .replace(/^tel:/i, '')
    .split(';', 1)[0]!
    .replace(/[\s().-]/g, '');
  return isNumber(number) ? carrierTarget(number, table.routes) : undefined;
}

export const isNumber = (text: string): boolean => text.length <= LONGEST_NUMBER && /^\+?[0-9*#]+$/.test(text);

function carrierTarget(number: string, routes: readonly CarrierRoute[]): Target | undefined {
  let best: CarrierRoute | undefined;
  for (const route of routes) {
    if (number.startsWith(route.prefix) && (!best || route.prefix.length > best.prefix.length)) best = route;
  }
  const carrier = best && parseUri(best.uri);
  if (!best || !carrier || carrier.host === '') return undefined;
  const target: Target = { requestUri: uriText(number, carrier, best.transport ?? transportOf(carrier)) };
  const { username, password } = best;
  if (username !== undefined && password !== undefined) target.credentials = { username, password };
  return target;
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
