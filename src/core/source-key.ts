/**
 * The key of an address for limits per source: an IPv4 address stands for itself, an IPv6 address for its /64, all of which
 * one host commonly has (RFC 6177, RFC 8981).
 */
import { isIP } from 'node:net';

const GROUPS = 8;

/** IPv4 as a socket for both families shows it. */
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

/** An IPv4 address at the end takes the room of two groups. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
