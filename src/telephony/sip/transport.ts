/**
 * What the stack needs of a transport, and where messages come from and go to. Implemented for UDP, TCP and
 * TLS; tests put a network of their own in place.
 */
import { sourceKey } from '../../core/source-key.ts';

export type TransportName = 'udp' | 'tcp' | 'tls';

/** The other end of a packet. For TCP and TLS it names a connection: the one that is open to it, else a new one. */
export interface Peer {
  transport: TransportName;
  /** An IP address. */
  host: string;
  port: number;
  /** TLS: whom a new connection has to prove to be made with (RFC 5922 §7). */
  serverName?: string;
  /** TLS: whom it has proved to be by a certificate, where it connected to us. */
  names?: readonly string[];
}

export interface TransportEvents {
  /** Whether somebody there is listened to at all. */
  accepts(host: string): boolean;
  /** A carrier, a phone that is registered from this very place, or the far end of a call: it keeps its connection. */
  knows(peer: Peer): boolean;
  /** A carrier or a registered phone has this address: there is room for its connections. */
  expects(host: string): boolean;
  packet(bytes: Buffer, from: Peer): void;
  /** Something that the operator should know; with `from` it is that far end's doing, and told once of its host. */
  warn(message: string, fields: Record<string, unknown>, from?: Peer): void;
}

export interface Transport {
  readonly name: TransportName;
  /** Resolves with the bound address; port 0 takes any that is free. */
  listen(events: TransportEvents, port: number): Promise<{ host: string; port: number }>;
  /** Sends or drops; `failed` is called later when the bytes certainly did not leave. */
  send(bytes: Buffer, to: Peer, failed?: (reason: string) => void): void;
  close(): Promise<void>;
}

/** Whom a limit is for: its datagrams, whose sender may be forged, count apart from its connections. */
export const rateLimitKey = ({ transport, host }: Peer): string =>
  `${transport === 'udp' ? 'datagrams' : 'connections'} ${sourceKey(host)}`;

export const peerText = (peer: Peer): string =>
  `${peer.transport}:${peer.host.includes(':') ? `[${peer.host}]` : peer.host}:${peer.port}`;
