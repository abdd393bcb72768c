/**
 * SIP over connections (RFC 3261 §18): those of both directions under one roof, found by the far end's address, so that
 * replies and requests use the connection that is there (RFC 5923 in spirit).
 * Neighbours: `transport-tcp.ts` and `transport-tls.ts`, which say how a connection is made.
 * Invariants: connections are bounded in number, all and per host, those that still shake hands included; idle and half-fed ones are closed; messages of a
 * connection arrive in order; a connection that was made to prove one name is not used for another. Who is known by the
 * address alone (a Contact) is whoever proved to be there.
 */
import type { Server, Socket } from 'node:net';
import type { Clock, Timer } from '../../core/clock.ts';
import { householdOf, unmapped } from '../../core/household.ts';
import { StreamFramer } from './stream-framer.ts';
import { type Peer, peerText, type Transport, type TransportEvents } from './transport.ts';

/** How the connections of one kind are made. */
export interface StreamKind {
  readonly name: 'tcp' | 'tls';
  /** `taken` is called with each connection that may carry messages. */
  createServer(taken: (socket: Socket) => void): Server;
  connect(peer: Peer): Socket;
  /** The event of a connection of ours that may carry messages. */
  readonly ready: 'connect' | 'secureConnect';
}

export interface StreamLimits {
  connections: number;
  connectionsPerHost: number;
  /** Without a byte from the far end. */
  idleMs: number;
  /** For a message to become whole. */
  partialMs: number;
  connectMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  connections: 4096,
  connectionsPerHost: 512,
  idleMs: 900_000,
  partialMs: 30_000,
  connectMs: 10_000,
};

/** Bytes that may wait for a far end that does not read. */
const UNSENT_LIMIT_BYTES = 1_048_576;

interface Connection {
  socket: Socket;
  peer: Peer;
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
  /** The same by address alone. */
  const byAddress = new Map<string, Connection>();
  const perHost = new Map<string, number>();
  /** Connections that came, whether they say anything or not. */
  const callers = new Map<string, number>();
  let server: Server | undefined;
  let events: TransportEvents | undefined;

  const addressOf = ({ host: to, port }: Peer) => `${to}|${port}`;
  const keyOf = ({ host: to, port, serverName = '' }: Peer) => `${to}|${port}|${serverName}`;

  const adopt = (socket: Socket, peer: Peer, open: boolean): Connection => {
    const connection: Connection = { socket, peer, framer: new StreamFramer(), timer: undefined, failures: [], open };
    connections.set(keyOf(peer), connection);
    byAddress.set(addressOf(peer), connection);
    perHost.set(peer.host, (perHost.get(peer.host) ?? 0) + 1);
    socket.setNoDelay(true);
    socket.on('data', (chunk) => feed(connection, chunk));
    socket.on('error', (error) => fail(connection, error.message));
    socket.on('close', () => release(connection));
    watchIdle(connection, open ? limits.idleMs : limits.connectMs);
    return connection;
  };

  const fail = (connection: Connection, reason: string) => {
    for (const failed of connection.failures.splice(0)) failed(reason);
  };

  const release = (connection: Connection) => {
    connection.timer?.cancel();
    fail(connection, 'closed');
    if (byAddress.get(addressOf(connection.peer)) === connection) byAddress.delete(addressOf(connection.peer));
    if (connections.get(keyOf(connection.peer)) !== connection) return;
    connections.delete(keyOf(connection.peer));
    const left = (perHost.get(connection.peer.host) ?? 1) - 1;
    if (left > 0) perHost.set(connection.peer.host, left);
    else perHost.delete(connection.peer.host);
  };

  const watchIdle = (connection: Connection, delayMs: number) => {
    connection.timer?.cancel();
    connection.timer = clock.after(delayMs, () => connection.socket.destroy());
  };

  const feed = (connection: Connection, chunk: Buffer) => {
    const wasPartial = connection.framer.pendingBytes > 0;
    let whole = false;
    let pinged = false;
    for (const frame of connection.framer.push(chunk)) {
      whole = true;
      if (frame.kind === 'message') events?.packet(frame.bytes, connection.peer);
      else if (frame.kind === 'ping') pinged = true;
      else {
        const { peer } = connection;
        events?.trouble('sip.stream_broken', { source: peerText(peer), reason: frame.reason }, peer);
        connection.socket.destroy();
        return;
      }
    }
    // One answer to however many: who sends them by the thousand is not to fill our memory with answers that nobody reads.
    if (pinged && connection.socket.writableLength === 0) connection.socket.write(PONG);
    const partial = connection.framer.pendingBytes > 0;
    // Drops of a message that never becomes whole must not keep the connection.
    if (partial && wasPartial && !whole) return;
    watchIdle(connection, partial ? limits.partialMs : limits.idleMs);
  };

  const mayTake = (remoteHost: string) =>
    connections.size < limits.connections && (perHost.get(remoteHost) ?? 0) < limits.connectionsPerHost;

  /** Before the hands are shaken: who does not get so far takes a place, too. */
  const knock = (socket: Socket, accepts: (host: string) => boolean) => {
    const remoteAddress = unmapped(socket.remoteAddress ?? '');
    const household = householdOf(remoteAddress);
    const count = callers.get(household) ?? 0;
    if (remoteAddress === '' || !accepts(remoteAddress) || count >= limits.connectionsPerHost) {
      socket.destroy();
      return;
    }
    callers.set(household, count + 1);
    socket.once('close', () => {
      const left = (callers.get(household) ?? 1) - 1;
      if (left > 0) callers.set(household, left);
      else callers.delete(household);
    });
  };

  return {
    name: kind.name,
    listen(given, port) {
      events = given;
      return new Promise((resolve, reject) => {
        const listening = kind.createServer((socket) => {
          const { remotePort } = socket;
          const remoteAddress = unmapped(socket.remoteAddress ?? '');
          const isWelcome =
            remoteAddress !== '' && given.accepts(remoteAddress) && remotePort !== undefined && mayTake(remoteAddress);
          if (!isWelcome) {
            socket.on('error', () => {});
            return socket.destroy();
          }
          adopt(socket, { transport: kind.name, host: remoteAddress, port: remotePort }, true);
        });
        listening.prependListener('connection', (socket: Socket) => knock(socket, given.accepts));
        listening.maxConnections = limits.connections;
        listening.once('error', reject);
        listening.listen({ host, port }, () => {
          listening.off('error', reject);
          listening.on('error', (error) => given.trouble('sip.listener_error', { error: error.message }));
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
        if (!server || !mayTake(to.host)) return queueMicrotask(() => failed?.('no connection'));
        connection = adopt(kind.connect(to), { ...to, transport: kind.name }, false);
        const opening = connection;
        opening.socket.once(kind.ready, () => {
          opening.open = true;
          opening.failures = [];
          watchIdle(opening, limits.idleMs);
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
