/** Both ends of a message as in an IP packet: one address family, addresses as bytes. */
import ipaddr from 'ipaddr.js';
import type { CapturedSip, SipEnd } from '../../../base/core/sip-capture.ts';

interface PacketEnds {
  family: 4 | 6;
  from: SipEnd & { bytes: Buffer };
  to: SipEnd & { bytes: Buffer };
}

export function packetEndsOf({
  direction,
  local,
  remote,
}: Pick<CapturedSip, 'direction' | 'local' | 'remote'>): PacketEnds {
  const [from, to] = direction === 'sent' ? [local, remote] : [remote, local];
  const parsed = [addressOf(from), addressOf(to)] as const;
  const family = parsed.some((address) => address.kind() === 'ipv6') ? 6 : 4;
  const [first, second] = parsed.map((address) => bytesOf(address, family)) as [Buffer, Buffer];
  return { family, from: { ...from, bytes: first }, to: { ...to, bytes: second } };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Drops the zone. Anything but an address, such as the host name of a container, becomes 0.0.0.0. */
function addressOf({ host }: SipEnd): Address {
  const [address = ''] = host.split('%');
  return ipaddr.parse(ipaddr.isValid(address) ? address : '0.0.0.0');
}

const bytesOf = (address: Address, family: 4 | 6): Buffer =>
  Buffer.from(
    (family === 6 && address.kind() === 'ipv4'
      ? (address as ipaddr.IPv4).toIPv4MappedAddress()
      : address
    ).toByteArray(),
  );
