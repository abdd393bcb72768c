/**
 * CPU of encrypting and decrypting one packet of G.711, as a leg does it. The peer is a cipher and an HMAC object of
 * node:crypto for each packet. Run: `npm run bench -- srtp`
 */
import { RTP_HEADER_BYTES, writeRtpHeader } from '../src/media/toolbox/rtp/packet.ts';
import { KEYING_BYTES, SrtpDirection, TAG_BYTES } from '../src/media/toolbox/rtp/srtp.ts';
import { ReferenceSrtp } from '../test/media/rtp/reference-srtp.ts';
import { reportRounds } from './figure.ts';

const PACKETS = 20_000;
const ROUNDS = 7;
const PAYLOAD_BYTES = 160;
const KEYING = new Uint8Array(KEYING_BYTES).fill(7);

const plain = Array.from({ length: PACKETS }, (_, nth) => {
  const packet = new Uint8Array(RTP_HEADER_BYTES + PAYLOAD_BYTES).fill(nth);
  const timestamp = nth * PAYLOAD_BYTES;
  writeRtpHeader(packet, { payloadType: 0, marker: false, sequence: nth & 0xffff, timestamp, ssrc: 0xcafebabe });
  return packet;
});
const reference = new ReferenceSrtp(KEYING);
const sealed = plain.map((packet) => new Uint8Array(reference.protectRtp(packet, RTP_HEADER_BYTES)));

function protect(): void {
  const direction = new SrtpDirection(KEYING);
  const into = new Uint8Array(RTP_HEADER_BYTES + PAYLOAD_BYTES + TAG_BYTES);
  for (const packet of plain) {
    into.set(packet);
    direction.protectRtp(into, RTP_HEADER_BYTES);
  }
}

function protectByObjects(): void {
  const direction = new ReferenceSrtp(KEYING);
  for (const packet of plain) direction.protectRtp(packet, RTP_HEADER_BYTES);
}

function unprotect(packets: readonly Uint8Array[]): void {
  const direction = new SrtpDirection(KEYING);
  for (const packet of packets) {
    if (!direction.unprotectRtp(packet, RTP_HEADER_BYTES)) throw new Error('not authentic');
  }
}

function unprotectByObjects(packets: readonly Uint8Array[]): void {
  const direction = new ReferenceSrtp(KEYING);
  for (const packet of packets) {
    if (!direction.unprotectRtp(packet, RTP_HEADER_BYTES)) throw new Error('not authentic');
  }
}

/** Copies, because packets are decrypted in place. */
const copies = (): Uint8Array[] => sealed.map((packet) => packet.slice());

function microsPerPacket<T>(prepare: () => T, work: (prepared: T) => void): number {
  const prepared = prepare();
  const before = process.cpuUsage();
  work(prepared);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / PACKETS;
}

const times: Record<'protect' | 'protectPeer' | 'unprotect' | 'unprotectPeer', number[]> = {
  ...{ protect: [], protectPeer: [], unprotect: [], unprotectPeer: [] },
};
// In turns, so that a busy moment of the machine meets both.
for (let round = 0; round < ROUNDS; round++) {
  times.protect.push(microsPerPacket(() => undefined, protect));
  times.protectPeer.push(microsPerPacket(() => undefined, protectByObjects));
  times.unprotect.push(microsPerPacket(copies, unprotect));
  times.unprotectPeer.push(microsPerPacket(copies, unprotectByObjects));
}
reportRounds('srtp.protect', times.protect, 'µs CPU per packet', times.protectPeer);
reportRounds('srtp.unprotect', times.unprotect, 'µs CPU per packet', times.unprotectPeer);
