/**
 * Protection against server-side request forgery: decides which addresses may be reached for URLs from others. The
 * check is made on the address to which the socket connects, after name resolution, so that neither an unusual spelling
 * nor a name with changing addresses can bypass it.
 */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Read at each check, because permissions may change while the service runs. */
export interface TargetPolicy {
  /** `refused`: only the public internet. `loopback`: this host as well. `allowed`: private networks as well. */
  readonly privateTargets: 'refused' | 'loopback' | 'allowed';
  /** True if the service itself listens on this address; such addresses are never reached. */
  isOwn?(address: string, port: number): boolean;
}

/** Address or name, without brackets. */
export const hostOf = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

export const portOf = (port: string | number | null | undefined, protocol: string): number =>
  Number(port) || (/^(https|wss):/.test(protocol) ? 443 : 80);

export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED';
}

/** 2000::/3: all that is assigned for global unicast (RFC 4291 §2.4; IANA IPv6 address space). */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
const PRIVATE_RANGES = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);

/**
 * True if this address may be reached. Link-local addresses never, because cloud metadata is there; nor addresses that
 * embed another (6to4, Teredo, NAT64), because their real destination is unknown.
 */
export function isAllowedAddress(address: string, { privateTargets, isOwn }: TargetPolicy, port?: number): boolean {
  if (!ipaddr.isValid(address)) return false;
  // For an IPv4-mapped address (::ffff:127.0.0.1), the system connects to the IPv4 address.
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (port !== undefined && isOwn?.(parsed.toString(), port)) return false;
  if (range === 'unicast') return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_V6);
  if (range === 'loopback') return privateTargets !== 'refused';
  return PRIVATE_RANGES.has(range) && privateTargets === 'allowed';
}

/** Returns why a URL is refused before name resolution; undefined if it is permitted. */
export function refusalOfUrl(url: string, policy: TargetPolicy | undefined): string | undefined {
  const parsed = URL.parse(url);
  if (!parsed) return 'not a URL';
  const { protocol, hostname, port } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:') return 'neither http nor https';
  // `URL` has normalised 2130706433, 0x7f.1 and 0177.0.0.1.
  const literal = hostOf(hostname);
  if (!policy || isIP(literal) === 0) return undefined;
  return isAllowedAddress(literal, policy, portOf(port, protocol)) ? undefined : 'address not allowed';
}

/** Returns a `lookup` that finds only addresses that are permitted at this port. */
export function guardedLookup(
  policy: TargetPolicy,
  lookup: LookupFunction = systemLookup,
  port?: number,
): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '');
      const all = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      const allowed = all.filter(({ address }) => isAllowedAddress(address, policy, port));
      const [first] = allowed;
      if (!first) return done(new TargetRefused(`${hostname} has no address that is allowed`), '');
      if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}

/** Streams (WebSockets) may use the addresses that webhooks may use. */
export const isStreamTarget = (url: string, policy: TargetPolicy): boolean =>
  /^wss?:/i.test(url) && refusalOfUrl(url.replace(/^ws/i, 'http'), policy) === undefined;

/** Returns a guarded lookup for a connection to this URL. */
export function lookupForUrl(url: string, policy: TargetPolicy): LookupFunction {
  const { port, protocol } = new URL(url);
  return guardedLookup(policy, undefined, portOf(port, protocol));
}
