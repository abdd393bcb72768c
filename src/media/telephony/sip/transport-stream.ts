/**
 * SIP over connections (RFC 3261 §18): inbound and outbound ones, found by the far end's address, so that replies and
 * requests use an open connection (similar to RFC 5923). `transport-tcp.ts` and `transport-tls.ts` create connections;
 * `connection-limiter.ts` limits them.
 *
 * Invariants
 *  - the number of connections is limited, including handshakes; an inbound one without a complete message for a while
 *    is closed, as are idle ones and those with an incomplete message;
 *  - messages of a connection are delivered in order;
 *  - a connection that was opened to prove one name is not used for another. A peer that is known by address alone (a
 *    Contact) uses the connection that has proved to be at that address.
 */
import type { Server, Socket } from 'node:net';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { withoutIpv4Mapping } from '../../../base/core/source-key.ts';
import { ConnectionLimiter, type ConnectionLimits, type LimitedConnection } from './connection-limiter.ts';
import { StreamFramer } from './stream-framer.ts';
import { type Peer, peerText, type Transport, type TransportEvents } from './transport.ts';

/** Creates connections of one kind. */
export interface StreamKind {
  readonly name: 'tcp' | 'tls';
  /** `taken` is called with each connection that may carry messages. */
  createServer(taken: (socket: Socket) => void): Server;
  connect(peer: Peer): Socket;
  /** Returns what an inbound connection has proved; with a `refusal` it is closed. */
  proof?(socket: Socket): { names?: readonly string[]; refusal?: string };
  /** Event after which an outbound connection may carry messages. */
  readonly ready: 'connect' | 'secureConnect';
}

export interface StreamLimits extends ConnectionLimits {
  /** Time from the first byte, or the handshake, to the first complete message. */
  firstMessageMs: number;
  /** Time without a byte from the far end. */
  idleMs: number;
  /** Time for a message to become complete. */
  partialMs: number;
  connectMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  connections: 4096,
  unknownConnections: 3072,
  connectionsPerHost: 512,
  firstMessageMs: 10_000,
  idleMs: 900_000,
  partialMs: 30_000,
  connectMs: 10_000,
};

/** A length that the parser rejects. */
const UNKNOWN_LENGTH = Buffer.from('Content-Length: unknown\r\n\r\n');
/** Time for a last response to be sent. */
const LINGER_MS = 1_000;

/** Maximum bytes queued for a far end that does not read. */
const UNSENT_LIMIT_BYTES = 1_048_576;

interface Connection extends LimitedConnection {
  /** With the names that it has proved, if any. */
  peer: Peer;
  /** Before the TLS handshake, the TCP socket. */
  socket: Socket;
  /** True once a complete message was received. */
  spoke: boolean;
  framer: StreamFramer;
  timer: Timer | undefined;
  /** Called if an outbound connection fails. */
  failures: ((reason: string) => void)[];
  open: boolean;
}

const PONG = Buffer.from('\r\n');

export function streamTransport(
  kind: StreamKind,
  host: string,
  clock: Clock,
  limits: StreamLimits = STREAM_LIMITS,
): Transport {
  const connections = new Map<string, Connection>();
  /** Connections that may carry messages, by address alone. */
  const byAddress = new Map<string, Connection>();
  let server: Server | undefined;
  let events: TransportEvents | undefined;
  let room: ConnectionLimiter | undefined;

  const addressOf = ({ host: to, port }: Peer) => `${to}|${port}`;
  const keyOf = ({ host: to, port, serverName = '' }: Peer) => `${to}|${port}|${serverName}`;

  /** Undefined if there is no slot. */
  const place = (socket: Socket, peer: Peer, outgoing: boolean): Connection | undefined => {
    const connection: Connection = {
      ...{ socket, peer, outgoing, framer: new StreamFramer(), timer: undefined, failures: [] },
      ...{ open: false, spoke: false },
      drop() {
        release(connection);
        connection.socket.destroy();
      },
    };
    socket.on('error', (error) => fail(connection, error.message));
    if (!room?.admit(connection)) {
      socket.destroy();
      return undefined;
    }
    connections.set(keyOf(peer), connection);
    socket.on('close', () => release(connection));
    closeAfter(connection, outgoing ? limits.connectMs : limits.firstMessageMs);
    return connection;
  };

  /** Starts the exchange of messages. */
  const carry = (connection: Connection, socket: Socket) => {
    if (socket !== connection.socket) {
      socket.on('error', (error) => fail(connection, error.message));
      socket.on('close', () => release(connection));
      connection.socket = socket;
    }
    byAddress.set(addressOf(connection.peer), connection);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => feed(connection, chunk));
  };

  const fail = (connection: Connection, reason: string) => {
    for (const failed of connection.failures.splice(0)) failed(reason);
  };

  const release = (connection: Connection) => {
    connection.timer?.cancel();
    fail(connection, 'closed');
    room?.release(connection);
    if (byAddress.get(addressOf(connection.peer)) === connection) byAddress.delete(addressOf(connection.peer));
    if (connections.get(keyOf(connection.peer)) === connection) connections.delete(keyOf(connection.peer));
  };

  const closeAfter = (connection: Connection, delayMs: number) => {
    connection.timer?.cancel();
    connection.timer = clock.after(delayMs, () => connection.socket.destroy());
  };

  const feed = (connection: Connection, chunk: Buffer) => {
    const wasPartial = connection.framer.pendingBytes > 0;
    let whole = false;
    let pinged = false;
    for (const frame of connection.framer.push(chunk)) {
      whole = true;
      if (frame.kind === 'message') {
        connection.spoke = true;
        room?.touch(connection);
        events?.packet(frame.bytes, connection.peer);
      } else if (frame.kind === 'ping') pinged = true;
      else {
        const { peer } = connection;
        events?.warn('sip.stream_broken', { source: peerText(peer), reason: frame.reason }, peer);
        // RFC 3261 §18.3: answered with 400, like any message with a wrong length, before the connection is closed.
        if (!frame.head) {
          connection.socket.destroy();
          return;
        }
        connection.socket.removeAllListeners('data').resume();
        events?.packet(Buffer.concat([frame.head, UNKNOWN_LENGTH]), peer);
        setImmediate(() => connection.socket.end());
        closeAfter(connection, LINGER_MS);
        return;
      }
    }
    // One answer to any number of pings: unread answers must not fill the memory.
    if (pinged && connection.socket.writableLength === 0) connection.socket.write(PONG);
    // Only a complete message entitles a connection to stay open.
    if (!connection.spoke && !connection.outgoing) return;
    const partial = connection.framer.pendingBytes > 0;
    // A message that grows slowly must not keep the connection open.
    if (partial && wasPartial && !whole) return;
    closeAfter(connection, partial ? limits.partialMs : limits.idleMs);
  };

  /** A closed socket has no address. */
  const peerOf = ({ remoteAddress = '', remotePort = 0 }: Socket): Peer => {
    return { transport: kind.name, host: withoutIpv4Mapping(remoteAddress), port: remotePort };
  };

  const discard = (socket: Socket) => {
    socket.on('error', () => {});
    socket.destroy();
  };

  /** Admits a socket before the handshake, which occupies a slot, too. */
  const knock = (socket: Socket, accepts: (host: string) => boolean) => {
    const peer = peerOf(socket);
    const isWelcome = peer.host !== '' && peer.port !== 0 && accepts(peer.host);
    if (!isWelcome || !place(socket, peer, false)) discard(socket);
  };

  return {
    name: kind.name,
    listen(given, port) {
      events = given;
      room = new ConnectionLimiter(limits, clock, given);
      return new Promise((resolve, reject) => {
        const listening = kind.createServer((socket) => {
          const connection = connections.get(keyOf(peerOf(socket)));
          if (!connection || connection.outgoing || socket.destroyed) return discard(socket);
          const { names, refusal } = kind.proof?.(socket) ?? {};
          if (refusal !== undefined) {
            const { peer } = connection;
            given.warn('sip.certificate_refused', { source: peerText(peer), reason: refusal }, peer);
            connection.socket = socket;
            // Destroying a TLS socket and the one below it within its own event crashes the process.
            setImmediate(() => connection.drop());
            return;
          }
          if (names) connection.peer = { ...connection.peer, names };
          connection.open = true;
          carry(connection, socket);
        });
        listening.prependListener('connection', (socket: Socket) => knock(socket, given.accepts));
        listening.once('error', reject);
        listening.listen({ host, port }, () => {
          listening.off('error', reject);
          listening.on('error', (error) => given.warn('sip.listener_error', { error: error.message }));
          server = listening;
          const bound = listening.address();
          if (bound === null || typeof bound === 'string') reject(new Error('not bound to a port'));
          else resolve({ host: bound.address, port: bound.port });
        });
      });
    },
    send(bytes, to, failed) {
      let connection = to.serverName === undefined ? byAddress.get(addressOf(to)) : connections.get(keyOf(to));
      if (!connection) {
        const opening = server && place(kind.connect(to), { ...to, transport: kind.name }, true);
        if (!opening) return queueMicrotask(() => failed?.('no connection'));
        connection = opening;
        carry(opening, opening.socket);
        opening.socket.once(kind.ready, () => {
          opening.open = true;
          opening.failures = [];
          closeAfter(opening, limits.idleMs);
        });
      }
      if (connection.socket.writableLength > UNSENT_LIMIT_BYTES) {
        connection.socket.destroy();
        return queueMicrotask(() => failed?.('the far end does not read'));
      }
      if (!connection.open && failed) connection.failures.push(failed);
      connection.socket.write(bytes);
    },
    close() {
      const closing = server;
      server = undefined;
      events = undefined;
      for (const connection of connections.values()) connection.socket.end();
      for (const connection of connections.values()) connection.socket.destroySoon();
      return closing ? new Promise((resolve) => closing.close(() => resolve())) : Promise.resolve();
    },
  };
}
