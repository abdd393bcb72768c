/** UDP sockets of Node: everywhere, at a higher cost for each packet. */
import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { withoutIpv4Mapping } from '../../../base/core/source-key.ts';
import { socketAddress } from '../wildcard.ts';
import type { DatagramSocket, DatagramSocketHost, Datagrams } from './datagrams.ts';

export class NodeDatagrams implements Datagrams {
  readonly isPolled = false;
  readonly #nowMs: () => number;
  readonly #open = new Set<NodeDatagramSocket>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#open.size;
  }

  open(address: { host: string; port: number }, host: DatagramSocketHost): DatagramSocket {
    const ended = (): void => void this.#open.delete(socket);
    const socket = new NodeDatagramSocket(address, { host, nowMs: this.#nowMs, ended });
    this.#open.add(socket);
    socket.bind();
    return socket;
  }

  turn(): void {}

  end(): void {
    for (const socket of this.#open) socket.close();
  }
}

interface NodeSocketOptions {
  host: DatagramSocketHost;
  nowMs(): number;
  /** The socket is closed or being closed. */
  ended(): void;
}

class NodeDatagramSocket implements DatagramSocket {
  readonly #socket: Socket;
  readonly #address: { host: string; port: number };
  readonly #options: NodeSocketOptions;
  #isOpen = true;

  constructor(address: { host: string; port: number }, options: NodeSocketOptions) {
    this.#address = address;
    this.#options = options;
    // Far ends have the same address family or are unreachable: no lookup per packet.
    const family = isIP(address.host) === 6 ? 6 : 4;
    this.#socket = createSocket({
      type: family === 6 ? 'udp6' : 'udp4',
      lookup: (host, _options, found) => found(null, host, family),
    });
    this.#socket.on('message', (bytes, { address, port }) => {
      if (this.#isOpen) options.host.packet(bytes, withoutIpv4Mapping(address), port, options.nowMs());
    });
  }

  /** May call back synchronously. */
  bind(): void {
    const socket = this.#socket;
    const { host } = this.#options;
    const refuse = (error: NodeJS.ErrnoException): void => {
      if (!this.#isOpen) return;
      this.close();
      host.refused(error.code ?? error.message);
    };
    socket.once('error', refuse);
    socket.bind({ address: this.#address.host, port: this.#address.port, exclusive: true }, () => {
      socket.off('error', refuse);
      // Unreachable peers and full queues.
      socket.on('error', () => {});
      if (this.#isOpen) host.bound(socket.address().port);
    });
  }

  send(packet: Uint8Array, host: string, port: number): void {
    if (this.#isOpen) this.#socket.send(packet, port, socketAddress(host, this.#address.host));
  }

  close(closed?: () => void): void {
    if (!this.#isOpen) {
      closed?.();
      return;
    }
    this.#isOpen = false;
    this.#options.ended();
    this.#socket.close(closed);
  }
}
