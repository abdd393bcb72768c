/**
 * SIP over connections (RFC 3261 §18): those of both directions under one roof, found by the far end's address, so that
 * replies and requests use the connection that is there (RFC 5923 in spirit).
 * Neighbours: `transport-tcp.ts` and `transport-tls.ts`, which say how a connection is made; `connection-room.ts`, which
 * says who has a place.
 * Invariants: connections are bounded in number, those that still shake hands included; one that came and says nothing
 * whole for a while is closed, as are idle and half-fed ones; messages of a connection arrive in order; a connection that
 * was made to prove one name is not used for another. Who is known by the address alone (a Contact) is whoever proved to
 * be there.
 */
import type { Server, Socket } from 'node:net';
import type { Clock, Timer } from '../../core/clock.ts';
import { withoutIpv4Mapping } from '../../core/source-key.ts';
import { ConnectionLimiter, type ConnectionLimits, type LimitedConnection } from './connection-limiter.ts';
import { StreamFramer } from './stream-framer.ts';
import { type Peer, peerText, type Transport, type TransportEvents } from './transport.ts';

/** How the connections of one kind are made. */
export interface StreamKind {
  readonly name: 'tcp' | 'tls';
  /** `taken` is called with each connection that may carry messages. */
  createServer(taken: (socket: Socket) => void): Server;
  connect(peer: Peer): Socket;
  /** What the far end of a connection that came has proved; with a `refusal` it is closed. */
  proof?(socket: Socket): { names?: readonly string[]; refusal?: string };
  /** The event of a connection of ours that may carry messages. */
  readonly ready: 'connect' | 'secureConnect';
}

export interface StreamLimits extends ConnectionLimits {
  /** From the far end's first byte, or handshake, to its first whole message. */
  firstMessageMs: number;
  /** Without a byte from the far end. */
  idleMs: number;
  /** For a message to become whole. */
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

/** Bytes that may wait for a far end that does not read. */
const UNSENT_LIMIT_BYTES = 1_048_576;

interface Connection extends LimitedConnection {
  /** With what it proved, once it did. */
  peer: Peer;
  /** Until the hands are shaken, what is below it. */
  socket: Socket;
  /** Something whole has come. */
  spoke: boolean;
  framer: StreamFramer;
  timer: Timer | undefined;
  /** Told when a connection of ours is not made. */
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
  /** The same by address alone; those that may carry messages. */
  const byAddress = new Map<string, Connection>();
  let server: Server | undefined;
  let events: TransportEvents | undefined;
  let room: ConnectionLimiter | undefined;

  const addressOf = ({ host: to, port }: Peer) => `${to}|${port}`;
  const keyOf = ({ host: to, port, serverName = '' }: Peer) => `${to}|${port}|${serverName}`;

  /** Undefined: there is no place for it. */
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

  /** From now on messages come and go. */
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
        connection.socket.destroy();
        return;
      }
    }
    // One answer to however many: who sends them by the thousand is not to fill our memory with answers that nobody reads.
    if (pinged && connection.socket.writableLength === 0) connection.socket.write(PONG);
    // Nothing but a message makes it one of those that may be silent.
    if (!connection.spoke && !connection.outgoing) return;
    const partial = connection.framer.pendingBytes > 0;
    // Drops of a message that never becomes whole must not keep the connection.
    if (partial && wasPartial && !whole) return;
    closeAfter(connection, partial ? limits.partialMs : limits.idleMs);
  };

  /** Before the hands are shaken: who does not get so far takes a place, too. */
  const knock = (socket: Socket, accepts: (host: string) => boolean) => {
    const { remotePort } = socket;
    const remoteAddress = withoutIpv4Mapping(socket.remoteAddress ?? '');
    const isWelcome = remoteAddress !== '' && remotePort !== undefined && accepts(remoteAddress);
    const peer = { transport: kind.name, host: remoteAddress, port: remotePort ?? 0 };
    if (isWelcome && place(socket, peer, false)) return;
    socket.on('error', () => {});
    socket.destroy();
  };

  return {
    name: kind.name,
    listen(given, port) {
      events = given;
      room = new ConnectionLimiter(limits, clock, given);
      return new Promise((resolve, reject) => {
        const listening = kind.createServer((socket) => {
          const { remotePort = 0 } = socket;
          const from = withoutIpv4Mapping(socket.remoteAddress ?? '');
          const connection = connections.get(keyOf({ transport: kind.name, host: from, port: remotePort }));
          if (!connection || connection.outgoing || socket.destroyed) {
            socket.on('error', () => {});
            socket.destroy();
            return;
          }
          const { names, refusal } = kind.proof?.(socket) ?? {};
          if (refusal !== undefined) {
            const { peer } = connection;
            given.warn('sip.certificate_refused', { source: peerText(peer), reason: refusal }, peer);
            connection.socket = socket;
            // Destroyed from within its own event, and what is below it too, a TLS socket takes the process along.
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
