/** The transport port, implemented for UDP, TCP and TLS; tests use a network in memory. */
import { hostPortText } from '../../core/host-text.ts';
import { sourceKey } from '../../core/source-key.ts';

export type TransportName = 'udp' | 'tcp' | 'tls';

/** The other end of a packet. For TCP and TLS it identifies a connection: the open one, else a new one. */
export interface Peer {
  transport: TransportName;
  /** An IP address. */
  host: string;
  port: number;
  /** TLS: the name that the server of a new connection has to prove (RFC 5922 §7). */
  serverName?: string;
  /** TLS: the names that a client has proved by its certificate. */
  names?: readonly string[];
}

export interface TransportEvents {
  /** Whether packets from there are accepted at all. */
  accepts(host: string): boolean;
  /** A carrier, a phone registered from exactly there, or the far end of a call: it keeps its connection. */
  knows(peer: Peer): boolean;
  /** A carrier or a registered phone has this address: connections are reserved for it. */
  expects(host: string): boolean;
  packet(bytes: Buffer, from: Peer): void;
  /** Something the operator should know; with `from` it is caused by that peer, and logged once per host. */
  warn(message: string, fields: Record<string, unknown>, from?: Peer): void;
}

export interface Transport {
  readonly name: TransportName;
  /** Resolves with the bound address; port 0 takes any free port. */
  listen(events: TransportEvents, port: number): Promise<{ host: string; port: number }>;
  /** Sends or drops; `failed` is called later if the bytes certainly did not leave. */
  send(bytes: Buffer, to: Peer, failed?: (reason: string) => void): void;
  close(): Promise<void>;
}

/** The key for limits per source: datagrams, whose sender may be forged, count apart from connections. */
export const rateLimitKey = ({ transport, host }: Peer): string =>
  `${transport === 'udp' ? 'datagrams' : 'connections'} ${sourceKey(host)}`;

export const peerText = (peer: Peer): string => `${peer.transport}:${hostPortText(peer)}`;
