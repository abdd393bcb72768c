/**
 * Chooses the address of a far end's audio (RFC 3264, RFC 4961) when its session description and its signalling
 * disagree. The media port accepts audio from one address only; it is chosen here and widened nowhere.
 *
 * The first rule that matches:
 *  1. not a unicast address, or loopback or link-local of another machine behind a proxy: refused;
 *  2. the source of the signalling, an unspecified address (hold), or a public one: as described. Signalling and media
 *     of a carrier may have different addresses, and a public one is reachable;
 *  3. signalling through a proxy: as described. The far end's own address is unknown;
 *  4. an address of narrower scope than the source of the signalling (private behind public, loopback behind either):
 *     a NAT is in between, which audio passes like signalling: the source of the signalling;
 *  5. the far end names the described address in its Via or its registered Contact, but its messages come from
 *     elsewhere: its packets are translated, or leave by another interface: their source again;
 *  6. otherwise as described: two addresses of one network may be two machines.
 */
import { BlockList, isIP } from 'node:net';
import { withoutIpv4Mapping } from '../../../base/core/source-key.ts';
import { type Dialog, isRelayed } from './dialog.ts';
import { contactUri, type SipRequest, type SipResponse } from './message.ts';
import type { Peer } from './transport.ts';

/** Addresses of the sender of a description, as its signalling reveals them. */
export interface SignalingSource {
  /** IP address from which its messages come, or at which it responds. */
  source: string;
  /** Address by which it names itself, if that name is certainly its own. */
  namedHost?: string;
  /** True if a proxy is in between: `source` is not the far end's own address. */
  relayed: boolean;
}

export function signalingSourceOf(request: SipRequest, source: Peer): SignalingSource {
  return { source: source.host, namedHost: request.via.host, relayed: isRelayed(request) };
}

/** For a response inside `dialog`, or one that creates it. */
export function signalingSourceOfResponse(response: SipResponse, dialog: Dialog): SignalingSource {
  const { peer, viaPeer, routeSet, relayed } = dialog;
  const speaker = { source: peer.host, relayed: relayed || routeSet.length > 0 };
  const named = viaPeer ? contactUri(response)?.host : undefined;
  return named === undefined ? speaker : { ...speaker, namedHost: named };
}

/** Returns the address for audio; undefined if there is none. */
export function mediaHost(described: string, signaling: SignalingSource): string | undefined {
  const source = withoutIpv4Mapping(signaling.source);
  const host = withoutIpv4Mapping(described);
  const reach = scopeOf(host);
  if (reach === 'none') return undefined;
  if (host === source || reach === 'unspecified' || reach === 'public') return host;
  const sourceReach = scopeOf(source);
  // A proxy on this machine may relay for a phone on this machine.
  if (signaling.relayed) return SCOPE_WIDTH[reach] < SCOPE_WIDTH.private && sourceReach !== reach ? undefined : host;
  if (isIP(source) !== isIP(host)) return SCOPE_WIDTH[reach] < SCOPE_WIDTH.private ? undefined : host;
  if (SCOPE_WIDTH[reach] < SCOPE_WIDTH[sourceReach]) return source;
  return signaling.namedHost !== undefined && withoutIpv4Mapping(signaling.namedHost) === host ? source : host;
}

/**
 * Returns another address from which audio may come: a machine with several addresses describes one and may send from
 * another, often from that of its signalling. Unknown behind a proxy.
 */
export function otherMediaHost(host: string, { source, relayed }: SignalingSource): string | undefined {
  const other = withoutIpv4Mapping(source);
  return relayed || other === host || isIP(other) !== isIP(host) ? undefined : other;
}

/** True if audio is sent to another address than the source of the messages: such an address is only claimed. */
export const isElsewhere = (host: string, { source }: SignalingSource): boolean => withoutIpv4Mapping(source) !== host;

/** True if a router translates the address, and therefore the port, of the audio. */
export const isTranslated = (described: string, host: string): boolean => withoutIpv4Mapping(described) !== host;

type AddressScope = 'none' | 'unspecified' | 'loopback' | 'link' | 'private' | 'public';

const SCOPE_WIDTH: Readonly<Record<AddressScope, number>> = {
  none: 0,
  unspecified: 0,
  loopback: 1,
  link: 2,
  private: 3,
  public: 4,
};

/** RFC 6890 and RFC 4193, where relevant for media. */
const NETWORKS: readonly [reach: AddressScope, networks: readonly string[]][] = [
  ['unspecified', ['0.0.0.0/32', '::/128']],
  ['none', ['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4', 'ff00::/8']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['link', ['169.254.0.0/16', 'fe80::/10']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']],
];

const LISTS = NETWORKS.map(([reach, networks]) => {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return { reach, list };
});

/** IPv4 networks as numbers without their host bits, because each call asks for a scope. */
const IPV4_NETWORKS = NETWORKS.flatMap(([reach, networks]) =>
  networks.flatMap((network) => {
    const [address = '', bits] = network.split('/');
    const hostBits = 32 - Number(bits);
    return isIP(address) === 4 ? [{ reach, hostBits, prefix: prefixOf(address, hostBits) }] : [];
  }),
);

/** The bits of an IPv4 address above the lowest `hostBits`. */
function prefixOf(address: string, hostBits: number): number {
  let number = 0;
  for (const byte of address.split('.')) number = number * 256 + Number(byte);
  return Math.floor(number / 2 ** hostBits);
}

function scopeOf(host: string): AddressScope {
  const family = isIP(host);
  if (family === 0) return 'none';
  const found =
    family === 4
      ? IPV4_NETWORKS.find(({ hostBits, prefix }) => prefixOf(host, hostBits) === prefix)
      : // Also matches IPv4 networks, for mapped addresses.
        LISTS.find(({ list }) => list.check(host, 'ipv6'));
  return found?.reach ?? 'public';
}
