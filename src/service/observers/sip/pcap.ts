/**
 * SIP messages as a capture file for Wireshark: classic pcap, Ethernet, IPv4 or IPv6, UDP. Messages sent over TCP or
 * TLS are written as UDP between the same addresses: their Via shows the transport, and SIP in a datagram is decoded
 * without a connection around it.
 */
import type { CapturedSip, SipEnd } from '../../../base/core/sip-capture.ts';
import { packetEndsOf } from './ip-bytes.ts';

const MAGIC = 0xa1b2c3d4;
const LINKTYPE_ETHERNET = 1;
const SNAP_BYTES = 262_144;
const ETHERTYPES = { 4: Buffer.from([0x08, 0x00]), 6: Buffer.from([0x86, 0xdd]) };
const HOPS = 64;
const UDP = 17;
const UDP_HEADER_BYTES = 8;
/** Maximum UDP payload in IPv4. */
const MAX_PAYLOAD = 65_507;
/** Locally administered addresses, which no real interface has. */
const MAC_HERE = Buffer.from([0x02, 0, 0, 0, 0, 1]);
const MAC_THERE = Buffer.from([0x02, 0, 0, 0, 0, 2]);

export function pcapOf(messages: readonly CapturedSip[]): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(SNAP_BYTES, 16);
  header.writeUInt32LE(LINKTYPE_ETHERNET, 20);
  return Buffer.concat([header, ...messages.flatMap(packetOf)]);
}

function packetOf(message: CapturedSip): Buffer[] {
  const frame = frameOf(message);
  const header = Buffer.alloc(16);
  header.writeUInt32LE(Math.floor(message.atMs / 1000), 0);
  header.writeUInt32LE(Math.floor((message.atMs % 1000) * 1000), 4);
  header.writeUInt32LE(frame.length, 8);
  header.writeUInt32LE(frame.length, 12);
  return [header, frame];
}

function frameOf(message: CapturedSip): Buffer {
  const { family, from, to } = packetEndsOf(message);
  const payload = Buffer.from(message.text, 'latin1').subarray(0, MAX_PAYLOAD);
  const addresses = Buffer.concat([from.bytes, to.bytes]);
  const udp = udpOf(from, to, payload, addresses);
  const isSent = message.direction === 'sent';
  const ethernet = Buffer.concat([...(isSent ? [MAC_THERE, MAC_HERE] : [MAC_HERE, MAC_THERE]), ETHERTYPES[family]]);
  const ip = family === 6 ? ipv6Header(udp.length) : ipv4Header(udp.length, addresses);
  return Buffer.concat([ethernet, ip, addresses, udp]);
}

/** RFC 8200 §3, up to the addresses. */
function ipv6Header(payloadBytes: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(0x60, 0);
  header.writeUInt16BE(payloadBytes, 4);
  header.writeUInt8(UDP, 6);
  header.writeUInt8(HOPS, 7);
  return header;
}

/** RFC 791 §3.1, up to the addresses. */
function ipv4Header(payloadBytes: number, addresses: Buffer): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt8(0x45, 0);
  header.writeUInt16BE(header.length + addresses.length + payloadBytes, 2);
  header.writeUInt8(HOPS, 8);
  header.writeUInt8(UDP, 9);
  header.writeUInt16BE(checksumOf(header, addresses), 10);
  return header;
}

function udpOf(from: SipEnd, to: SipEnd, payload: Buffer, addresses: Buffer): Buffer {
  const length = UDP_HEADER_BYTES + payload.length;
  const datagram = Buffer.alloc(length);
  datagram.writeUInt16BE(from.port, 0);
  datagram.writeUInt16BE(to.port, 2);
  datagram.writeUInt16BE(length, 4);
  payload.copy(datagram, UDP_HEADER_BYTES);
  const pseudo = Buffer.alloc(4);
  pseudo.writeUInt16BE(UDP, 0);
  pseudo.writeUInt16BE(length, 2);
  // RFC 768: 0 means no checksum.
  datagram.writeUInt16BE(checksumOf(addresses, pseudo, datagram) || 0xffff, 6);
  return datagram;
}

/** RFC 1071. Only the last part may have an odd number of bytes. */
function checksumOf(...parts: readonly Buffer[]): number {
  let sum = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; at += 2) sum += (part[at]! << 8) | (part[at + 1] ?? 0);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
