/** Reads the section `sip`: listeners, phones, carrier routes and allowed destinations. */
import { isIP } from 'node:net';
import { parseDuration } from '../base/core/duration.ts';
import { defined } from '../base/core/json.ts';
import { readNetwork } from '../base/core/networks.ts';
import { headerNameProblem, readSipHeaders, type SipHeaders, someHeaders } from '../base/core/sip-headers.ts';
import { childPointer } from '../base/schema/document.ts';
import type { TlsFiles } from '../media/telephony/sip/tls-files.ts';
import type { CarrierRouteSetting, SipUser } from '../service/calls/settings/settings.ts';
import type { HepSettings } from '../service/observers/sip/hep.ts';
import { type CamelCased, type ConfigContext, camelCased } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

type SipSection = ConfigFile['sip'];
type RouteEntry = SipSection['routes'][number];
type OwnForm = 'hep' | 'tls' | 'users' | 'routes' | 'headers' | 'limits' | 'allow_sip_uris' | 'accept_from' | 'edges';

export interface SipConfig extends Readonly<CamelCased<Omit<SipSection, OwnForm>>> {
  readonly tls?: TlsFiles;
  readonly hep?: Readonly<HepSettings>;
  readonly users: readonly SipUser[];
  readonly routes: readonly CarrierRouteSetting[];
  /** Lower-case names. */
  readonly headers: { readonly read: readonly string[]; readonly sensitive: readonly string[] };
  readonly allowSipUris: readonly string[];
  /** Networks in CIDR notation. Absent if requests from every address are answered. */
  readonly acceptFrom?: readonly string[];
  readonly edges: readonly string[];
  readonly limits: Readonly<CamelCased<Omit<SipSection['limits'], 'silence'>>> & { readonly silenceMs: number };
}

/** Allowed destinations by default, if the service is reachable neither from outside nor by a carrier. */
const THIS_MACHINE = ['127.0.0.1', 'localhost'];

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.[0-9.]+$/.test(host);

const durationMs = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseDuration(text);

export function readSip(sip: SipSection, context: ConfigContext): SipConfig {
  const {
    tls,
    users,
    routes,
    headers,
    limits,
    allow_sip_uris: hosts,
    accept_from: networks,
    edges,
    hep,
    ...rest
  } = sip;
  const { host, rtp_ports: ports, advertised_host: advertised } = rest;
  if (ports[1] <= ports[0]) {
    context.report(
      'wrong-range',
      'the last port must be greater than the first',
      '/sip/rtp_ports',
      'write [first, last]',
    );
  }
  if (isIP(host) === 0) {
    const hint = 'write 0.0.0.0 for all IPv4 addresses, :: for both families; set a host name in sip.advertised_host';
    context.report('wrong-value', `${host} is not an IP address`, '/sip/host', hint);
  }
  const isSecluded = isLoopback(host) && advertised === undefined && routes.length === 0;
  const { silence, ...counts } = limits;
  return defined<SipConfig>({
    ...camelCased(rest),
    tls: tls && readTls(tls, routes, context),
    hep: hep && readHep(hep, context),
    users: readUsers(users, context),
    routes: routes.map((route, index) => readRoute(route, `/sip/routes/${index}`, tls !== undefined, context)),
    headers: {
      read: headerNames(headers.read, '/sip/headers/read', context),
      sensitive: headerNames(headers.sensitive, '/sip/headers/sensitive', context),
    },
    allowSipUris: [
      ...new Set((hosts ?? (isSecluded ? [...THIS_MACHINE, host] : [])).map((name) => name.toLowerCase())),
    ],
    acceptFrom: networks && checkedNetworks(networks, '/sip/accept_from', context),
    edges: checkedNetworks(edges, '/sip/edges', context),
    limits: { ...camelCased(counts), silenceMs: parseDuration(silence)! },
  });
}

/** Headers whose values authenticate the sender. */
const CREDENTIAL_HEADERS = ['authorization', 'proxy-authorization'];

function headerNames(names: readonly string[], pointer: string, context: ConfigContext): string[] {
  for (const [index, name] of names.entries()) {
    const problem = headerNameProblem(name);
    const at = `${pointer}/${index}`;
    if (problem?.what === 'name') context.report('wrong-value', problem.message, at, problem.hint);
    if (CREDENTIAL_HEADERS.includes(name.toLowerCase())) {
      context.report('wrong-value', `${name} contains credentials and cannot be read by flows`, at);
    }
  }
  return names.map((name) => name.toLowerCase());
}

function routeHeaders(written: RouteEntry['headers'], pointer: string, context: ConfigContext): SipHeaders | undefined {
  const { headers, problems } = readSipHeaders(written);
  for (const { name, message, hint } of problems) {
    context.report('wrong-value', message, name === undefined ? pointer : childPointer(pointer, name), hint);
  }
  return someHeaders(headers);
}

function readHep({ password, ...rest }: NonNullable<SipSection['hep']>, context: ConfigContext): HepSettings {
  const secret = context.optionalSecret(password, '/sip/hep/password');
  return defined<HepSettings>({ ...camelCased(rest), password: secret });
}

function readUsers(users: SipSection['users'], context: ConfigContext): SipUser[] {
  const names = users.map(({ name }) => name.toLowerCase());
  context.refuseDuplicates('/sip/users/*/name', names, 'user');
  return users.map(({ name, password, project, srtp }, index) => {
    context.checkProject(project, `/sip/users/${index}`);
    const secret = context.secret(password, `/sip/users/${index}/password`);
    return defined<SipUser>({ name, password: secret, srtp, projectId: project });
  });
}

function readRoute(route: RouteEntry, pointer: string, hasTls: boolean, context: ConfigContext): CarrierRouteSetting {
  const { uri, gateways = [], prefix = '', tls, register, try_timeout: timeout, keepalive, headers, ...rest } = route;
  const { username, password } = rest;
  if ((username === undefined) !== (password === undefined)) {
    context.report('wrong-keys', '`username` and `password` require each other', pointer);
  }
  if (tls !== undefined && !hasTls) {
    const hint = 'add sip.tls, with the certificate of the service';
    context.report('wrong-keys', '`tls` of a route requires `sip.tls`', childPointer(pointer, 'tls'), hint);
  }
  if (register === true && username === undefined) {
    context.report('wrong-keys', '`register` requires `username` and `password`', childPointer(pointer, 'register'));
  }
  return defined<CarrierRouteSetting>({
    ...camelCased(rest),
    prefix,
    gateways: uri === undefined ? gateways : [uri, ...gateways],
    password: context.optionalSecret(password, childPointer(pointer, 'password')),
    headers: routeHeaders(headers, childPointer(pointer, 'headers'), context),
    register: register || undefined,
    tryTimeoutMs: durationMs(timeout),
    keepaliveMs: durationMs(keepalive),
  });
}

function readTls(tls: NonNullable<SipSection['tls']>, routes: readonly RouteEntry[], context: ConfigContext): TlsFiles {
  const { port, verify_client: verifyClient } = tls;
  const file = (key: 'cert' | 'key' | 'ca' | 'client_ca'): string | undefined =>
    tls[key] === undefined ? undefined : context.existingFile(tls[key], childPointer('/sip/tls', key));
  if (verifyClient !== undefined && tls.client_ca === undefined) {
    const hint = 'set client_ca to the certificate authority of the clients';
    context.report('wrong-keys', '`verify_client` requires `client_ca`', '/sip/tls/verify_client', hint);
  }
  return defined<TlsFiles>({
    port,
    cert: file('cert')!,
    key: file('key')!,
    ca: file('ca'),
    clientCa: file('client_ca'),
    verifyClient,
    clients: clientCertificates(routes, context),
  });
}

/** One certificate per gateway, because a connection is opened before the call, and so the route, is known. */
function clientCertificates(routes: readonly RouteEntry[], context: ConfigContext): TlsFiles['clients'] {
  const found = new Map<string, TlsFiles['clients'][number]>();
  for (const [index, { tls, uri, gateways = [] }] of routes.entries()) {
    if (tls === undefined) continue;
    const at = `/sip/routes/${index}/tls`;
    const cert = context.existingFile(tls.cert, childPointer(at, 'cert'));
    const key = context.existingFile(tls.key, childPointer(at, 'key'));
    for (const gateway of [uri ?? '', ...gateways]) {
      const host = /^sips?:(?:\[([^\]]+)\]|([^:;?]+))/.exec(gateway)?.slice(1).find(Boolean)?.toLowerCase();
      if (host === undefined) continue;
      const other = found.get(host);
      if (other && (other.cert !== cert || other.key !== key)) {
        context.report('duplicate', `an earlier route sets another certificate for ${host}`, at);
      }
      found.set(host, { host, cert, key });
    }
  }
  return [...found.values()];
}

export function checkedNetworks(
  networks: readonly string[],
  pointer: string,
  context: ConfigContext,
): readonly string[] {
  for (const [index, network] of networks.entries()) {
    if (readNetwork(network)) continue;
    const hint = 'write a network such as 192.0.2.0/24, or one address';
    context.report('wrong-value', `${network} is not a network in CIDR notation`, `${pointer}/${index}`, hint);
  }
  return networks;
}
