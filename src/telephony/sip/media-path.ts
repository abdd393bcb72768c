/**
 * Where the sound of a far end is (RFC 3264, RFC 4961), when its description and its signalling disagree.
 * The media port takes sound from one address and no other; here that address is chosen, and nowhere is it widened.
 *
 * The rule, first line that fits:
 *  1. no unicast address, or loopback or link-local of another machine that is heard through a proxy: none, refused;
 *  2. the address that the signalling comes from, an unspecified one (a hold), or a public one: as described. Signalling
 *     and sound of a carrier may well have two addresses, and a public one is one that we can reach;
 *  3. signalling through a proxy: as described. Where the far end itself is cannot be seen;
 *  4. an address of narrower reach than the one that the signalling comes from (private behind public, loopback behind
 *     either): a NAT is in between, and the sound comes through it as the signalling does: the source of the signalling;
 *  5. the far end names itself by the described address in its Via, or in the Contact it registered, and yet its
 *     messages come from elsewhere: its packets are translated, or leave by another interface: their source again;
 *  6. otherwise as described: two addresses of the same network may be two machines.
 */
import { BlockList, isIP } from 'node:net';
import { withoutIpv4Mapping } from '../../core/source-key.ts';
import { type Dialog, isRelayed } from './dialog.ts';
import { contactUri, type SipRequest, type SipResponse } from './message.ts';
import type { Peer } from './transport.ts';

/** What signalling tells of the one who sent a description. */
export interface SignalingSource {
  /** The IP address its messages come from, or at which it answers. */
  source: string;
  /** The address by which it names itself, where that name is its own for certain. */
  namedHost?: string;
  /** Through a proxy: `source` is not the far end's own. */
  relayed: boolean;
}

export function signalingSourceOf(request: SipRequest, source: Peer): SignalingSource {
  return { source: source.host, namedHost: request.via.host, relayed: isRelayed(request) };
}

/** Of a response inside `dialog`, or that makes it. */
export function signalingSourceOfResponse(response: SipResponse, dialog: Dialog): SignalingSource {
  const { peer, viaPeer, routeSet, relayed } = dialog;
  const speaker = { source: peer.host, relayed: relayed || routeSet.length > 0 };
  const named = viaPeer ? contactUri(response)?.host : undefined;
  return named === undefined ? speaker : { ...speaker, namedHost: named };
}

/** The address to exchange sound with; undefined when there is none. */
export function mediaHost(described: string, signaling: SignalingSource): string | undefined {
  const source = withoutIpv4Mapping(signaling.source);
  const host = withoutIpv4Mapping(described);
  const reach = scopeOf(host);
  if (reach === 'none') return undefined;
  if (host === source || reach === 'unspecified' || reach === 'public') return host;
  const sourceReach = scopeOf(source);
  // A proxy on this machine may well speak for a phone on this machine.
  if (signaling.relayed) return SCOPE_WIDTH[reach] < SCOPE_WIDTH.private && sourceReach !== reach ? undefined : host;
  if (isIP(source) !== isIP(host)) return SCOPE_WIDTH[reach] < SCOPE_WIDTH.private ? undefined : host;
  if (SCOPE_WIDTH[reach] < SCOPE_WIDTH[sourceReach]) return source;
  return signaling.namedHost !== undefined && withoutIpv4Mapping(signaling.namedHost) === host ? source : host;
}

/**
 * Where sound may come from beside `host`: a machine with several addresses describes one and sends from another, often
 * the one that it sends its messages from. Through a proxy nobody can tell.
 */
export function otherMediaHost(host: string, { source, relayed }: SignalingSource): string | undefined {
  const other = withoutIpv4Mapping(source);
  return relayed || other === host || isIP(other) !== isIP(host) ? undefined : other;
}

/** Whether sound is to go elsewhere than to where the messages come from: a place that is only said. */
export const isElsewhere = (host: string, { source }: SignalingSource): boolean => withoutIpv4Mapping(source) !== host;

/** Whether sound comes by a router that translates addresses, and so ports. */
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

/** RFC 6890 and RFC 4193, as far as sound is concerned. */
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

function scopeOf(host: string): AddressScope {
  const family = isIP(host);
  if (family === 0) return 'none';
  return LISTS.find(({ list }) => list.check(host, family === 6 ? 'ipv6' : 'ipv4'))?.reach ?? 'public';
}
