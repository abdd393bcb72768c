/** Port: connection to a browser, as rooms and webphones need it; implemented in `embedded/transport.ts`. */
import type { Endpoint } from '../toolbox/sdp/webrtc.ts';

/** Destination of packets. */
export interface PacketSink {
  readonly isOpen: boolean;
  send(bytes: Buffer): void;
}

export interface TransportOptions {
  /** Absent: all addresses of this machine. */
  host?: string | undefined;
  /** UDP port shared by all connections. Absent: each connection has its own. */
  port?: number;
  /** Address that browsers receive instead of `host`. */
  advertisedHost?: string | undefined;
}

/** `weak`: no packets have arrived for a moment. */
export type TransportState = 'open' | 'weak' | 'lost';

export interface MediaTransportEvents {
  packet(bytes: Buffer): void;
  changed(state: TransportState): void;
  failed(error: unknown): void;
}

export interface MediaTransport extends PacketSink {
  /** Returns the local description for an offer. */
  offer(): Promise<Endpoint>;
  /** False if the answer is invalid. */
  answered(sdp: string): boolean;
  /** Returns the local description for the answer to an offer of the browser. */
  answer(sdp: string): Promise<Endpoint>;
  close(): void;
}

/** `isOfEngine`: the remote end is an engine that is assisted, not a browser. */
export type OpenTransport = (name: string, events: MediaTransportEvents, isOfEngine?: boolean) => MediaTransport;
