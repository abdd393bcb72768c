/**
 * WebSockets of clients with JSON messages in both directions. Use cases handle joins and messages; this module
 * enforces the rules for every connection. Used by `video/room-socket.ts` and `webphone-socket.ts`.
 *
 * Invariants
 * - pages of other origins are refused before the upgrade, unless the configuration allows them;
 * - a client that does not join in time is closed. The number of such clients is limited, in total and for each source:
 * a new one replaces the oldest, so that idle clients do not block others. The rate of each source is limited too. A
 * client that sends a token with the upgrade does not count;
 * - a client that does not answer pings or does not read is closed; its queue is bounded;
 * - after a close, messages are ignored, and the socket is terminated if the client continues to send. An internal
 * error ends only one connection.
 */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock, Timer } from '../../base/core/clock.ts';
import type { Log } from '../../base/core/log.ts';
import { sourceKey, withoutIpv4Mapping } from '../../base/core/source-key.ts';
import { AddressLimit, isLocalSource } from './address-limit.ts';
import type { ClientAddresses } from './client-address.ts';
import { mayConnect, type Origins } from './cross-origin.ts';
import type { Upgrades } from './http-server.ts';

export interface ClientSocketParts {
  clock: Clock;
  log: Log;
  origins: Origins;
  /** False while the service shuts down. */
  isOpen(): boolean;
  addresses: ClientAddresses;
  /** True for a token of the service, used or not, or the key of a participant. Does not consume the token. */
  vouches(pass: string): boolean;
  connect(link: SocketLink): SocketClient;
}

export interface ClientSocketSpec {
  path: RegExp;
  /** In characters. */
  maxMessageLength: number;
  /** First command that a client must send, for messages. */
  first: string;
  /** Messages sent to clients that have not joined. */
  strangersHear: readonly string[];
}

/** Connection to a client. */
export interface SocketLink {
  readonly address: string;
  /** Address of this node at which the client is connected. */
  readonly serverAddress: string;
  readonly agent: string;
  send(message: { readonly type: string }): void;
  /** Closes the connection after pending messages. */
  close(): void;
  /** Reports an internal error outside of a client message. */
  failed(error: unknown): void;
}

/** Receiver of a client's messages. */
export interface SocketClient {
  message(text: string): void;
  /** `isGone`: the page was closed or reloaded. */
  closed(isGone: boolean): void;
}

export interface ClientSocket extends Upgrades {
  close(): Promise<void>;
}

const JOIN_MS = 10_000;
/** Time for clients to answer the close at shutdown. */
const CLOSE_MS = 500;
/** Time for a client to answer a close during operation. */
const CUT_MS = 3000;
const PING_EVERY_MS = 20_000;
/** Limits for sockets that have not joined. For this machine, which may run proxies, only `most` applies. */
const STRANGERS = { most: 500, ofOne: 20 };
/** Rate of new sockets of one source without a token. */
const STRANGER_RATE = { perSecond: 10, burst: 100 };
/** Limits for sockets that have not joined but sent a token. `ofOne` is for one token. */
const VOUCHED = { most: 1000, ofOne: 3 };
/** Browsers cannot set other headers: a client offers `callweave` and its token or key with the prefix `PASS`. */
const PROTOCOL = 'callweave';
const PASS = 'callweave.pass.';
const MAX_WAITING_BYTES = 2 ** 20;
const MAX_AGENT_LENGTH = 300;

const GOING_AWAY = 1001;
const UNSUPPORTED = 1003;
const TOO_LATE = 1008;
const INTERNAL = 1011;

export function createClientSocket(spec: ClientSocketSpec, parts: ClientSocketParts): ClientSocket {
  const server = new WebSocketServer({
    noServer: true,
    // A character can take several bytes.
    maxPayload: 2 * spec.maxMessageLength,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(PROTOCOL) && PROTOCOL,
  });
  const strangers = new Strangers(STRANGERS);
  const vouched = new Strangers(VOUCHED);
  const rate = new AddressLimit(parts.clock, STRANGER_RATE);
  /** Undefined if the source exceeds its rate. */
  const placeFor = (request: IncomingMessage): ((drop: () => void) => () => void) | undefined => {
    const pass = passOf(request);
    if (pass !== undefined && parts.vouches(pass)) return (drop) => vouched.add(hash('sha256', pass), drop);
    const address = parts.addresses.of(request);
    if (!rate.admits(address)) return undefined;
    const source = sourceKey(address);
    return (drop) => strangers.add(isLocalSource(source) ? undefined : source, drop);
  };
  return {
    isWanted: ({ url = '' }) => spec.path.test(url),
    take(request, socket, head) {
      const { origin, host } = request.headers;
      if (!parts.isOpen()) return refuse(socket, 503, 'Service Unavailable');
      if (!mayConnect(origin, host, parts.origins)) return refuse(socket, 403, 'Forbidden');
      const takePlace = placeFor(request);
      if (!takePlace) return refuse(socket, 429, 'Too Many Requests');
      server.handleUpgrade(request, socket, head, (opened) =>
        carry(
          opened,
          request,
          { ...spec, ...parts },
          takePlace(() => opened.terminate()),
        ),
      );
    },
    close() {
      for (const client of server.clients) client.close(GOING_AWAY);
      const cut = parts.clock.after(CLOSE_MS, () => {
        for (const client of server.clients) client.terminate();
      });
      return new Promise((resolve) => {
        server.close(() => {
          cut.cancel();
          resolve();
        });
      });
    },
  };
}

/** Connections that have not joined, the oldest first. */
class Strangers {
  readonly #limits: { most: number; ofOne: number };
  readonly #all = new Set<Stranger>();
  readonly #bySource = new Map<string, Set<Stranger>>();

  constructor(limits: { most: number; ofOne: number }) {
    this.#limits = limits;
  }

  /**
   * Adds a connection and drops the oldest one if a limit is exceeded. Without `source`, only the total limit applies.
   * Returns a function that removes the connection.
   */
  add(source: string | undefined, drop: () => void): () => void {
    const stranger = { source, drop };
    const ofSource = source === undefined ? undefined : this.#bySource.get(source);
    if (ofSource && ofSource.size >= this.#limits.ofOne) this.#drop(ofSource);
    else if (this.#all.size >= this.#limits.most) this.#drop(this.#all);
    this.#all.add(stranger);
    if (source !== undefined) this.#bySource.set(source, (this.#bySource.get(source) ?? new Set()).add(stranger));
    return () => this.#remove(stranger);
  }

  #drop(among: ReadonlySet<Stranger>): void {
    const [oldest] = among;
    if (!oldest) return;
    this.#remove(oldest);
    oldest.drop();
  }

  #remove(stranger: Stranger): void {
    this.#all.delete(stranger);
    const { source = '' } = stranger;
    const ofSource = this.#bySource.get(source);
    if (ofSource?.delete(stranger) && ofSource.size === 0) this.#bySource.delete(source);
  }
}

interface Stranger {
  source: string | undefined;
  drop(): void;
}

function passOf({ headers }: IncomingMessage): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
  return offered.find((each) => each.startsWith(PASS))?.slice(PASS.length);
}

function carry(
  socket: WebSocket,
  request: IncomingMessage,
  { clock, log, addresses, connect, first, strangersHear }: ClientSocketSpec & ClientSocketParts,
  noStranger: () => void,
): void {
  let isAnswering = true;
  let cut: Timer | undefined;
  const close = (code?: number, reason?: string): void => {
    cut ??= clock.after(CUT_MS, () => socket.terminate());
    socket.close(code, reason);
  };
  const tooLate = clock.after(JOIN_MS, () => close(TOO_LATE, `${first} first`));
  const isIn = (): void => {
    tooLate.cancel();
    noStranger();
  };
  const failed = (error: unknown): void => {
    log.error('socket.failed', { error });
    close(INTERNAL);
  };
  const client = connect({
    address: addresses.of(request),
    agent: (request.headers['user-agent'] ?? '').slice(0, MAX_AGENT_LENGTH),
    serverAddress: withoutIpv4Mapping(request.socket.localAddress ?? ''),
    send(message) {
      if (!strangersHear.includes(message.type)) isIn();
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > MAX_WAITING_BYTES) socket.terminate();
      else socket.send(textOf(message));
    },
    close: () => close(),
    failed,
  });
  const beat = () =>
    clock.after(PING_EVERY_MS, () => {
      if (!isAnswering) return socket.terminate();
      isAnswering = false;
      socket.ping();
      heartbeat = beat();
    });
  let heartbeat = beat();
  const read = (text: string): void => {
    try {
      client.message(text);
    } catch (error) {
      failed(error);
    }
  };
  socket.on('message', (data, isBinary) => {
    isAnswering = true;
    if (cut !== undefined) return;
    if (isBinary) close(UNSUPPORTED, 'messages must be text');
    else read(data.toString());
  });
  socket.on('pong', () => {
    isAnswering = true;
  });
  // A `close` event follows.
  socket.on('error', () => undefined);
  socket.once('close', (code) => {
    heartbeat.cancel();
    cut?.cancel();
    isIn();
    client.closed(code === GOING_AWAY);
  });
}

/** Cache, so that a message to many clients is serialised once. */
const texts = new WeakMap<object, string>();

function textOf(message: object): string {
  const written = texts.get(message) ?? JSON.stringify(message);
  texts.set(message, written);
  return written;
}

function refuse(socket: Duplex, status: number, words: string): void {
  const body = JSON.stringify({ result: status, error: words, msg: words, state: 'failed' });
  const head = [
    `HTTP/1.1 ${status} ${words}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.on('error', () => undefined);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
