/**
 * WebSockets between nodes, through which calls of one node take part in conferences and queues of another. The node
 * that needs the other one opens the socket; both ends send messages in order, until either is gone.
 *
 * Invariants
 *  - The request that opens a socket is signed with the cluster key, for one epoch of one node
 *    (`forward-signature.ts`).
 *  - `closed` is called once, and no message follows it. A peer that is silent for a while counts as gone.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { isObject, parseJson } from '../../../base/core/json.ts';
import type { Log } from '../../../base/core/log.ts';
import type { NodeEpoch } from '../../../base/core/ownership.ts';
import { withoutIpv4Mapping } from '../../../base/core/source-key.ts';
import type { NodeInfo } from '../cluster.ts';
import { FORWARD_HEADER, type ForwardSigner, NO_BODY } from '../forward-signature.ts';
import type { ChannelEnd, NodeChannel, NodeNetwork } from './node-network.ts';

export interface NodeSocketParts {
  me: NodeEpoch;
  signer: ForwardSigner;
  clock: Clock;
  log: Log;
}

export interface NodeSockets extends NodeNetwork {
  isWanted(request: IncomingMessage): boolean;
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

const PATH = '/cluster/v1/places';
const OPEN_MS = 2000;
const BEAT_MS = 1000;
/** Liveness timeout: maximum silence of the peer. */
const GONE_AFTER_MS = 4000;
const MAX_MESSAGE_BYTES = 2 ** 20;
const MAX_WAITING_BYTES = 16 * 2 ** 20;
const GOING_AWAY = 1001;

export function createNodeSockets({ me, signer, clock, log }: NodeSocketParts): NodeSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const opened = new Set<WebSocket>();
  let accept: (channel: NodeChannel) => ChannelEnd = () => ({ message: () => undefined, closed: () => undefined });
  return {
    accept(made) {
      accept = made;
    },
    async open(node, end) {
      const address = new URL(PATH, node.address);
      address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
      const request = { method: 'GET', path: PATH, digest: NO_BODY, identity: { node: me } };
      const socket = new WebSocket(address, {
        headers: { [FORWARD_HEADER]: signer.sign(node.id, request) },
        handshakeTimeout: OPEN_MS,
        maxPayload: MAX_MESSAGE_BYTES,
        perMessageDeflate: false,
      });
      opened.add(socket);
      socket.once('close', () => opened.delete(socket));
      const answer = Promise.withResolvers<IncomingMessage>();
      socket.once('upgrade', answer.resolve);
      socket.once('error', answer.reject);
      socket.once('close', () => answer.reject(new Error(`${node.name} closed the connection`)));
      return carry(socket, node.id, (await answer.promise).socket, end, { clock, log });
    },
    isWanted: ({ url = '' }) => url === PATH,
    take(request, socket, head) {
      const header = request.headers[FORWARD_HEADER];
      const signed = signer.verify(typeof header === 'string' ? header : '', { method: 'GET', path: PATH });
      const from = 'refused' in signed ? undefined : signed.identity['node'];
      if (typeof from !== 'string') {
        socket.on('error', () => undefined);
        socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, (made) => carry(made, from, request.socket, accept, { clock, log }));
    },
    close() {
      for (const socket of [...opened, ...server.clients]) {
        socket.close(GOING_AWAY);
        socket.terminate();
      }
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function carry(
  socket: WebSocket,
  node: NodeInfo['id'],
  { localAddress = '', remoteAddress = '' }: { localAddress?: string; remoteAddress?: string },
  end: (channel: NodeChannel) => ChannelEnd,
  { clock, log }: Pick<NodeSocketParts, 'clock' | 'log'>,
): NodeChannel {
  const channel: NodeChannel = {
    node,
    localHost: withoutIpv4Mapping(localAddress),
    farHost: withoutIpv4Mapping(remoteAddress),
    send(message) {
      if (socket.bufferedAmount > MAX_WAITING_BYTES) socket.terminate();
      else if (socket.readyState <= WebSocket.OPEN) whenOpen(socket, () => socket.send(JSON.stringify(message)));
    },
    close: () => socket.terminate(),
  };
  const { message, closed } = end(channel);
  let heardMs = clock.monotonicMs();
  const heard = (): void => {
    heardMs = clock.monotonicMs();
  };
  const beat = (): Timer =>
    clock.after(BEAT_MS, () => {
      if (clock.monotonicMs() - heardMs > GONE_AFTER_MS) return socket.terminate();
      if (socket.readyState === WebSocket.OPEN) socket.ping();
      heartbeat = beat();
    });
  let heartbeat = beat();
  socket.on('message', (data, isBinary) => {
    heard();
    const read = isBinary ? undefined : parseJson(data.toString());
    if (!isObject(read)) return socket.terminate();
    try {
      message(read);
    } catch (error) {
      log.error('cluster.message_failed', { node, error });
      socket.terminate();
    }
  });
  socket.on('ping', heard);
  socket.on('pong', heard);
  // `close` follows.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    heartbeat.cancel();
    closed();
  });
  return channel;
}

/** On the opening side, the upgrade is known slightly before the socket may send. */
function whenOpen(socket: WebSocket, work: () => void): void {
  if (socket.readyState === WebSocket.OPEN) work();
  else socket.once('open', work);
}
