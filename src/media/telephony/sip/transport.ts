/** Transport port, implemented for UDP, TCP and TLS; tests use a network in memory. */
import { hostPortText } from '../../../base/core/host-text.ts';
import { sourceKey } from '../../../base/core/source-key.ts';

export type TransportName = 'udp' | 'tcp' | 'tls';

/** Remote end of a packet. For TCP and TLS it identifies a connection: the open one, else a new one. */
export interface Peer {
  transport: TransportName;
  /** IP address. */
  host: string;
  port: number;
  /** TLS: name that the server of a new connection has to prove (RFC 5922 §7). */
  serverName?: string;
  /** TLS: names that a client has proved by its certificate. */
  names?: readonly string[];
}

export interface TransportEvents {
  /** True if packets from this address are accepted. */
  accepts(host: string): boolean;
  /**
   * True for a carrier, a phone that is registered from exactly this source, or the far end of a call: its connection
   * is kept.
   */
  knows(peer: Peer): boolean;
  /** True if a carrier or a registered phone has this address: connections are reserved for it. */
  expects(host: string): boolean;
  packet(bytes: Buffer, from: Peer): void;
  /** Reports a problem to the operator; with `from` it was caused by that peer, and is logged once per host. */
  warn(message: string, fields: Record<string, unknown>, from?: Peer): void;
}

export interface Transport {
  readonly name: TransportName;
  /** Resolves with the bound address; port 0 uses any free port. */
  listen(events: TransportEvents, port: number): Promise<{ host: string; port: number }>;
  /** Sends or drops; `failed` is called later if the bytes certainly were not sent. */
  send(bytes: Buffer, to: Peer, failed?: (reason: string) => void): void;
  close(): Promise<void>;
}

/** Key for limits by source: datagrams, whose sender may be forged, are counted separately from connections. */
export const rateLimitKey = ({ transport, host }: Peer): string =>
  `${transport === 'udp' ? 'datagrams' : 'connections'} ${sourceKey(host)}`;

export const peerText = (peer: Peer): string => `${peer.transport}:${hostPortText(peer)}`;
