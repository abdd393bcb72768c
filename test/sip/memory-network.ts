/** A network in memory: datagrams and streams between addresses, delivered one turn later, in order. */
import type { Peer, Transport, TransportEvents, TransportName } from '../../src/media/telephony/sip/transport.ts';

const keyOf = (peer: Peer) => `${peer.transport}:${peer.host}:${peer.port}`;

export class MemoryNetwork {
  readonly #places = new Map<string, (bytes: Buffer, from: Peer) => void>();
  /** Whether the next packet arrives twice. */
  doubles: () => boolean = () => false;
  /** Packets for which this is true get lost. */
  loses: (bytes: Buffer, from: Peer, to: Peer) => boolean = () => false;

  bind(place: Peer, receive: (bytes: Buffer, from: Peer) => void): void {
    this.#places.set(keyOf(place), receive);
  }

  unbind(place: Peer): void {
    this.#places.delete(keyOf(place));
  }

  /** False if nothing listens at the address. */
  deliver(bytes: Buffer, from: Peer, to: Peer): boolean {
    const receive = this.#places.get(keyOf(to));
    if (!receive) return false;
    if (this.loses(bytes, from, to)) return true;
    for (let copies = this.doubles() ? 2 : 1; copies > 0; copies--) {
      queueMicrotask(() => receive(Buffer.from(bytes), from));
    }
    return true;
  }

  /** A transport of an engine that lives at this host. */
  transport(name: TransportName, host: string, port: number): Transport {
    const place: Peer = { transport: name, host, port };
    let open = false;
    return {
      name,
      listen: async (events: TransportEvents) => {
        this.bind(place, (bytes, from) => events.packet(bytes, from));
        open = true;
        return { host, port };
      },
      send: (bytes, to, failed) => {
        if (!open || !this.deliver(bytes, place, to)) queueMicrotask(() => failed?.('nobody there'));
      },
      close: async () => {
        open = false;
        this.unbind(place);
      },
    };
  }
}
