/** What the engine needs of a connection to a browser; `transport.ts` is the real one. */
import type { PacketSink } from './outgoing-stream.ts';
import type { Endpoint } from './sdp.ts';

export interface TransportOptions {
  /** Absent: all addresses of this machine. */
  host?: string | undefined;
  /** UDP, of all connections; absent: one of its own for each. */
  port?: number;
  /** What browsers get in place of `host`. */
  advertisedHost?: string | undefined;
}

/** `weak`: nothing comes for a moment. */
export type TransportState = 'open' | 'weak' | 'lost';

export interface TransportEvents {
  packet(bytes: Buffer): void;
  changed(state: TransportState): void;
  failed(error: unknown): void;
}

export interface Transport extends PacketSink {
  /** We offer: what the browser must know of us. */
  offer(): Promise<Endpoint>;
  /** False: the answer is none. */
  answered(sdp: string): boolean;
  /** The browser offered. */
  answer(sdp: string): Promise<Endpoint>;
  close(): void;
}

/** `isOfEngine`: the other end is no browser, but an engine that is assisted. */
export type OpenTransport = (name: string, events: TransportEvents, isOfEngine?: boolean) => Transport;
