/**
 * Which addresses may be reached on behalf of someone who merely gave us a URL (server-side request forgery). The check
 * stands where connections are made: on the address that the socket will be opened to, after the name was resolved, so
 * that neither spelling nor a name that changes its mind gets past it.
 */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';

/** Asked each time: what is allowed may change while the service runs. */
export interface TargetPolicy {
  /** `refused`: the public internet only. `loopback`: this host as well. `allowed`: private networks as well. */
  readonly privateTargets: 'refused' | 'loopback' | 'allowed';
  /** Whether we listen there ourselves: never reached, whatever else is allowed. */
  isOwn?(address: string, port: number): boolean;
}

/** A literal address of a URL, or a name; without brackets. */
const hostOf = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

const portOf = (port: string | number | null | undefined, protocol: string): number =>
  Number(port) || (/^(https|wss):/.test(protocol) ? 443 : 80);

class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED';
}

/** 2000::/3: all that is assigned for global unicast (RFC 4291 §2.4; IANA IPv6 address space). */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');
const PRIVATE_RANGES = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);

/**
 * Whether this address may be reached. Link-local addresses never: cloud metadata lives there. Nor any that stands for
 * another (6to4, Teredo, NAT64), because nobody knows where it ends.
 */
export function isAllowedAddress(address: string, { privateTargets, isOwn }: TargetPolicy, port?: number): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address in IPv6 clothes (::ffff:127.0.0.1) is what the system would connect to.
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (port !== undefined && isOwn?.(parsed.toString(), port)) return false;
  if (range === 'unicast') return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_V6);
  if (range === 'loopback') return privateTargets !== 'refused';
  return PRIVATE_RANGES.has(range) && privateTargets === 'allowed';
}

/** What is wrong with a URL before any name is resolved; undefined when nothing is. */
export function refusalOfUrl(url: string, policy: TargetPolicy): string | undefined {
  if (!URL.canParse(url)) return 'not a URL';
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'neither http nor https';
  // URL has already brought 2130706433, 0x7f.1 and 0177.0.0.1 into the usual form.
  const literal = hostOf(hostname);
  if (isIP(literal) !== 0 && !isAllowedAddress(literal, policy, portOf(port, protocol))) return 'address not allowed';
  return undefined;
}

/** A `lookup` that finds only addresses that are allowed, to connect to this port. */
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

const MAX_CONNECTORS = 1000;

export interface GuardedAgentOptions {
  connectTimeoutMs: number;
  /** Connections to one origin; as many as are asked for when absent. */
  connections?: number;
  lookup?: LookupFunction;
}

/** An agent that can connect to nothing but what the policy allows. For all HTTP that is sent to URLs of others. */
export function guardedAgent(policy: TargetPolicy, options: GuardedAgentOptions): Agent {
  const connectors = new Map<number, ReturnType<typeof buildConnector>>();
  /** What is allowed may hang on the port, which a look-up does not know. */
  const connectorTo = (port: number): ReturnType<typeof buildConnector> => {
    let connector = connectors.get(port);
    if (!connector) {
      const lookup = guardedLookup(policy, options.lookup, port);
      connector = buildConnector({ timeout: options.connectTimeoutMs, lookup });
      if (connectors.size >= MAX_CONNECTORS) connectors.clear();
      connectors.set(port, connector);
    }
    return connector;
  };
  return new Agent({
    ...(options.connections === undefined ? {} : { connections: options.connections }),
    // No look-up is made for a host that is an address already.
    connect: (target, done) => {
      const literal = hostOf(target.hostname);
      const port = portOf(target.port, target.protocol);
      if (isIP(literal) !== 0 && !isAllowedAddress(literal, policy, port)) {
        done(new TargetRefused(`${literal} is not allowed`), null);
      } else {
        connectorTo(port)(target, done);
      }
    },
  });
}

/** Streams (web sockets) may go to the addresses that webhooks may go to. */
export const isStreamTarget = (url: string, policy: TargetPolicy): boolean =>
  /^wss?:/i.test(url) && refusalOfUrl(url.replace(/^ws/i, 'http'), policy) === undefined;

/** A guarded look-up for a connection to this URL. */
export function lookupForUrl(url: string, policy: TargetPolicy): LookupFunction {
  const { port, protocol } = new URL(url);
  return guardedLookup(policy, undefined, portOf(port, protocol));
}
