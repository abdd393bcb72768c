/**
 * Sends SIP messages to a capture server (Homer, sipcapture) as HEPv3 over UDP: one masked message per datagram,
 * without retransmission. Format: `HEP3` and the total length, followed by chunks of vendor, type, length and value.
 */
import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { PassingSip, SipTap } from '../../../base/core/sip-capture.ts';
import { packetEndsOf } from './ip-bytes.ts';
import type { SipMask } from './mask.ts';

/** Settings of a capture server. */
export interface HepSettings {
  host: string;
  port: number;
  captureId: number;
  password?: string;
}

const CHUNK = {
  family: 1,
  protocol: 2,
  ipv4From: 3,
  ipv4To: 4,
  ipv6From: 5,
  ipv6To: 6,
  portFrom: 7,
  portTo: 8,
  seconds: 9,
  microseconds: 10,
  payloadType: 11,
  captureId: 12,
  password: 14,
  payload: 15,
  correlation: 17,
} as const;

const FAMILIES = { 4: 2, 6: 10 } as const;
const PROTOCOLS = { udp: 17, tcp: 6, tls: 6 } as const;
const SIP = 1;
/** Capacity of a datagram, with room for the other chunks. */
const MAX_PAYLOAD = 60_000;
/** Datagrams queued in the operating system; more are dropped. */
const MAX_WAITING = 1000;
/** Interval of DNS lookups, because addresses may change. */
const RESOLVE_MS = 60_000;

/** Encodes one message as a HEPv3 packet. */
function hepPacket(
  { callId, local, ...passage }: Omit<PassingSip, 'bytes'>,
  text: string,
  { atMs, captureId, password }: { atMs: number } & Pick<HepSettings, 'captureId' | 'password'>,
): Buffer {
  const { family, from, to } = packetEndsOf({ ...passage, local: local() });
  const isV6 = family === 6;
  const chunks = [
    chunk(CHUNK.family, byte(FAMILIES[family])),
    chunk(CHUNK.protocol, byte(PROTOCOLS[passage.transport])),
    chunk(isV6 ? CHUNK.ipv6From : CHUNK.ipv4From, from.bytes),
    chunk(isV6 ? CHUNK.ipv6To : CHUNK.ipv4To, to.bytes),
    chunk(CHUNK.portFrom, short(from.port)),
    chunk(CHUNK.portTo, short(to.port)),
    chunk(CHUNK.seconds, long(Math.floor(atMs / 1000))),
    chunk(CHUNK.microseconds, long(Math.floor((atMs % 1000) * 1000))),
    chunk(CHUNK.payloadType, byte(SIP)),
    chunk(CHUNK.captureId, long(captureId)),
    ...(password === undefined ? [] : [chunk(CHUNK.password, Buffer.from(password))]),
    chunk(CHUNK.correlation, Buffer.from(callId, 'latin1')),
    chunk(CHUNK.payload, Buffer.from(text, 'latin1').subarray(0, MAX_PAYLOAD)),
  ];
  const bytes = chunks.reduce((sum, each) => sum + each.length, 6);
  return Buffer.concat([Buffer.from('HEP3'), short(bytes), ...chunks]);
}

const VENDOR_GENERIC = 0;

const chunk = (type: number, value: Buffer): Buffer =>
  Buffer.concat([short(VENDOR_GENERIC), short(type), short(value.length + 6), value]);

const byte = (value: number): Buffer => Buffer.from([value]);

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export interface HepParts {
  mask: SipMask;
  clock: Clock;
  /** Called if a name cannot be resolved or a socket fails; the error is logged, and the lookup repeated. */
  failed(error: unknown): void;
}

export class HepSender implements SipTap {
  readonly #settings: HepSettings;
  readonly #parts: HepParts;
  #target: { address: string; socket: Socket } | undefined;
  #waiting = 0;
  #closed = false;
  #timer: Timer | undefined;

  constructor(settings: HepSettings, parts: HepParts) {
    this.#settings = settings;
    this.#parts = parts;
    if (isIP(settings.host) === 0) void this.#resolve();
    else this.#aim(settings.host);
  }

  message({ bytes, ...passage }: PassingSip): void {
    if (!this.#target || this.#waiting >= MAX_WAITING) return;
    const { address, socket } = this.#target;
    const atMs = this.#parts.clock.now();
    const packet = hepPacket(passage, this.#parts.mask(bytes.toString('latin1')), { atMs, ...this.#settings });
    this.#waiting++;
    // Errors, such as an unreachable server, affect only this packet.
    socket.send(packet, this.#settings.port, address, () => {
      this.#waiting--;
    });
  }

  associate(): void {}

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#target?.socket.close();
    this.#target = undefined;
  }

  /** Runs at intervals rather than per packet, because lookups occupy the thread pool that also reads files. */
  async #resolve(): Promise<void> {
    try {
      const { address } = await lookup(this.#settings.host);
      if (!this.#closed && address !== this.#target?.address) this.#aim(address);
    } catch (error) {
      this.#parts.failed(error);
    }
    if (!this.#closed) this.#timer = this.#parts.clock.after(RESOLVE_MS, () => void this.#resolve());
  }

  #aim(address: string): void {
    this.#target?.socket.close();
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    socket.on('error', this.#parts.failed).unref();
    this.#target = { address, socket };
  }
}
