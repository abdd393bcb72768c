/** Networks in CIDR notation, and membership of addresses. */
import { BlockList, isIP } from 'node:net';
import { withoutIpv4Mapping } from './source-key.ts';

export interface Network {
  address: string;
  bits: number;
  family: 'ipv4' | 'ipv6';
}

/** Parses `192.0.2.0/24` or a single address. Undefined if it is neither. */
export function readNetwork(text: string): Network | undefined {
  const [address = '', bitsText, ...rest] = text.trim().split('/');
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const bits = bitsText === undefined ? most : /^\d{1,3}$/.test(bitsText) ? Number(bitsText) : -1;
  if (version === 0 || rest.length > 0 || bits < 0 || bits > most) return undefined;
  return { address, bits, family: version === 6 ? 'ipv6' : 'ipv4' };
}

/** Throws if one of them is not a network. */
export function networksOf(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const network = readNetwork(text);
    if (!network) throw new Error(`${text} is not a network in CIDR notation`);
    list.addSubnet(network.address, network.bits, network.family);
  }
  return list;
}

export function isWithin(networks: BlockList, address: string): boolean {
  const plain = withoutIpv4Mapping(address);
  const version = isIP(plain);
  return version !== 0 && networks.check(plain, version === 6 ? 'ipv6' : 'ipv4');
}
