/**
 * Key of an address for limits per source: an IPv4 address itself, or the /64 of an IPv6 address, which commonly
 * belongs to one host (RFC 6177, RFC 8981).
 */
import { isIP } from 'node:net';

const GROUPS = 8;

/** Unmaps an IPv4 address in the form that a dual-stack socket reports. */
export const withoutIpv4Mapping = (address: string): string =>
  /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;

export function sourceKey(address: string): string {
  const plain = withoutIpv4Mapping(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.replace(/%.*$/, '').split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - before.length - after.length);
  const network = [...before, ...Array<string>(zeros).fill('0'), ...after].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Key of a peer that is written as `udp:192.0.2.1:5060`. The port changes from call to call. */
export const sourceOfPeer = (peer: string): string =>
  sourceKey(
    peer
      .replace(/^(udp|tcp|tls):/, '')
      .replace(/:\d+$/, '')
      .replace(/^\[(.*)\]$/, '$1'),
  );

/** A trailing IPv4 address takes the place of two groups. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
