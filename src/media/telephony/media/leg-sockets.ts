/**
 * Sockets of one leg: RTP, and RTCP on the port after it, which is bound when the far side is known to use one.
 *
 * Invariants
 *  - `send` never waits for DNS: addresses are literal and looked up synchronously, so that buffers may be reused;
 *  - packets and socket errors never throw: RTP is lossy, and signalling decides about the call.
 */
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { withoutIpv4Mapping } from '../../../base/core/source-key.ts';
import { socketAddress } from '../wildcard.ts';

export interface LegSocketsHost {
  bound(): void;
  refused(code: string): void;
  packet(bytes: Uint8Array, host: string, port: number): void;
  control(bytes: Uint8Array, host: string): void;
}

export class LegSockets {
  readonly #rtp: Socket;
  #rtcp: Socket | undefined;
  readonly #address: { host: string; port: number };
  readonly #host: LegSocketsHost;

  constructor(address: { host: string; port: number }, host: LegSocketsHost) {
    this.#address = address;
    this.#host = host;
    this.#rtp = socketFor(address.host);
    this.#rtp.on('message', (bytes, from) => host.packet(bytes, withoutIpv4Mapping(from.address), from.port));
  }

  /** May call back synchronously. */
  bind(): void {
    const { host, port } = this.#address;
    const refuse = (error: NodeJS.ErrnoException): void => {
      this.#rtp.close();
      this.#host.refused(error.code ?? error.message);
    };
    this.#rtp.once('error', refuse);
    this.#rtp.bind({ address: host, port, exclusive: true }, () => {
      this.#rtp.off('error', refuse);
      // Unreachable peers and full queues.
      this.#rtp.on('error', () => {});
      this.#host.bound();
    });
  }

  send(packet: Uint8Array, host: string, port: number): void {
    this.#rtp.send(packet, port, socketAddress(host, this.#address.host));
  }

  /**
   * Opens the port for RTCP unless it shares that of RTP. Without it there are no reports, which nothing else depends
   * on.
   */
  openControl(): void {
    if (this.#rtcp) return;
    const socket = socketFor(this.#address.host);
    this.#rtcp = socket;
    socket.on('error', () => {});
    socket.on('message', (bytes, from) => this.#host.control(bytes, withoutIpv4Mapping(from.address)));
    socket.bind({ address: this.#address.host, port: this.#address.port + 1, exclusive: true });
  }

  sendControl(packet: Uint8Array, host: string, port: number): void {
    (this.#rtcp ?? this.#rtp).send(packet, port, socketAddress(host, this.#address.host));
  }

  close(closed: () => void): void {
    let open = this.#rtcp ? 2 : 1;
    const one = (): void => {
      if (--open === 0) closed();
    };
    this.#rtp.close(one);
    this.#rtcp?.close(one);
  }
}

function socketFor(host: string): Socket {
  // Far ends have the same address family or are unreachable: no lookup per packet.
  const family = isIP(host) === 6 ? 6 : 4;
  return createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    lookup: (address, _options, found) => found(null, address, family),
  });
}
