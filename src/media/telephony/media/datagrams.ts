/**
 * UDP sockets of a media thread. Two implementations: calls of the system (`system-datagrams.ts`), whose packets are
 * read by `turn`, many for each time that the thread wakes; and sockets of Node (`node-datagrams.ts`), whose packets
 * arrive as events.
 *
 * Invariants
 *  - addresses are literal IP addresses: `send` never waits for DNS;
 *  - `send` never throws: RTP is lossy, and signalling decides about the call. Its packet is not changed before the
 *    next one is sent;
 *  - received bytes are valid during `packet` only;
 *  - no callback of a socket follows `close`, except `closed`.
 */

export interface DatagramSocketHost {
  /** May be called during `open`. `port`: the local one. */
  bound(port: number): void;
  /** The address cannot be used: called instead of `bound`, with the error's code. The socket is closed. */
  refused(code: string): void;
  /** `atMs`: time of arrival, on the timeline of the thread. */
  packet(bytes: Uint8Array, host: string, port: number, atMs: number): void;
}

export interface DatagramSocket {
  send(packet: Uint8Array, host: string, port: number): void;
  /** `closed` is called when the port is free, possibly at once; also if the socket was refused. */
  close(closed?: () => void): void;
}

export interface Datagrams {
  /** True if packets are received by `turn` only. */
  readonly isPolled: boolean;
  /** Number of open sockets. */
  readonly size: number;
  /** Port 0: any that is free. */
  open(address: { host: string; port: number }, host: DatagramSocketHost): DatagramSocket;
  /** Receives the packets that are waiting. */
  turn(): void;
  /** Closes everything. */
  end(): void;
}

/** `auto`: calls of the system, if they work here. `node`: sockets of Node. */
export type RtpSockets = 'auto' | 'node';
