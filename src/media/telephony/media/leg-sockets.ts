/**
 * Sockets of one leg: RTP, and RTCP on the port after it, which is bound when the far side is known to use one.
 */
import type { DatagramSocket, Datagrams } from './datagrams.ts';

export interface LegSocketsHost {
  bound(): void;
  refused(code: string): void;
  packet(bytes: Uint8Array, host: string, port: number, atMs: number): void;
  control(bytes: Uint8Array, host: string, atMs: number): void;
}

export class LegSockets {
  readonly #datagrams: Datagrams;
  readonly #address: { host: string; port: number };
  readonly #host: LegSocketsHost;
  #rtp: DatagramSocket | undefined;
  #rtcp: DatagramSocket | undefined;

  constructor(datagrams: Datagrams, address: { host: string; port: number }, host: LegSocketsHost) {
    this.#datagrams = datagrams;
    this.#address = address;
    this.#host = host;
  }

  /** May call back synchronously. */
  bind(): void {
    this.#rtp = this.#datagrams.open(this.#address, this.#host);
  }

  send(packet: Uint8Array, host: string, port: number): void {
    this.#rtp?.send(packet, host, port);
  }

  /**
   * Opens the port for RTCP unless it shares that of RTP. Without it there are no reports, which nothing else depends
   * on.
   */
  openControl(): void {
    if (this.#rtcp) return;
    const { host, port } = this.#address;
    this.#rtcp = this.#datagrams.open(
      { host, port: port + 1 },
      {
        bound: () => undefined,
        refused: () => undefined,
        packet: (bytes, fromHost, _fromPort, atMs) => this.#host.control(bytes, fromHost, atMs),
      },
    );
  }

  sendControl(packet: Uint8Array, host: string, port: number): void {
    (this.#rtcp ?? this.#rtp)?.send(packet, host, port);
  }

  close(closed: () => void): void {
    const open = [this.#rtp, this.#rtcp].filter((socket) => socket !== undefined);
    let left = open.length;
    for (const socket of open) {
      socket.close(() => {
        if (--left === 0) closed();
      });
    }
  }
}
