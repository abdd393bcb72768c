/**
 * Client of one Asterisk by its REST interface (ARI): events arrive on a WebSocket of the application; requests use
 * HTTP, each on its own connection, because Asterisk answers the requests of one WebSocket one after the other, and
 * some wait for their channel. Messages of Asterisk are limited in size, and their content is not trusted.
 *
 * Invariants
 *  - a request completes within its timeout, and never rejects: without an answer its status is 0;
 *  - `up` and `down` alternate, and no event is delivered between a `down` and the next `up`;
 *  - after a loss it reconnects, until it is closed.
 */
import { WebSocket } from 'ws';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../../base/core/json.ts';

export interface AriAddress {
  /** URL, such as `http://host:8088/ari`. */
  url: string;
  user: string;
  secret: string;
  application: string;
}

/** HTTP client of the service. */
export interface AriHttp {
  send(request: {
    method: string;
    url: URL;
    headers: Readonly<Record<string, string>>;
    body?: string;
    timeoutMs: number;
    maxBytes: number;
  }): Promise<{ status?: number; body?: Buffer; code?: string }>;
}

export interface AriClientParts {
  http: AriHttp;
  clock: Clock;
  event(event: JsonObject): void;
  up(): void;
  down(why: string): void;
}

export interface AriReply {
  /** HTTP status; 0: there was no answer. */
  status: number;
  body?: Json | undefined;
  /** Reason why there was no answer. */
  why?: string;
}

export type AriMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Sends a request; the only operation that the parts of a leg need. */
export type AriRequest = (method: AriMethod, path: string, body?: JsonObject) => Promise<AriReply>;

const OPEN_MS = 5000;
const ANSWER_MS = 5000;
/** Maximum number of unanswered requests, so that a slow Asterisk is not overloaded. */
const MAX_WAITING = 4000;
const MAX_MESSAGE_BYTES = 2 ** 20;
const MAX_ANSWER_BYTES = 4 * 2 ** 20;
/** Ten hours of G.711 as linear PCM. */
const MAX_FILE_BYTES = 600 * 2 ** 20;
const FILE_MS = 60_000;
const BEAT_MS = 5000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2000;

export class AriClient {
  readonly #address: AriAddress;
  readonly #parts: AriClientParts;
  readonly #authorization: string;
  #socket: WebSocket | undefined;
  #isUp = false;
  #isClosed = false;
  #retryMs = FIRST_RETRY_MS;
  #timer: Timer | undefined;
  #waiting = 0;

  constructor(address: AriAddress, parts: AriClientParts) {
    this.#address = address;
    this.#parts = parts;
    this.#authorization = `Basic ${Buffer.from(`${address.user}:${address.secret}`).toString('base64')}`;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Number of requests without an answer. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Rejects if Asterisk does not answer, or refuses the credentials. */
  async open(): Promise<void> {
    await this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#socket?.terminate();
    this.#lost('it was closed');
  }

  /** `path` is relative to the URL: `channels/17/answer`. */
  readonly request: AriRequest = async (method, path, body) => {
    const { status, bytes, why } = await this.#send(method, path, body, ANSWER_MS, MAX_ANSWER_BYTES);
    const text = bytes?.toString('utf8') ?? '';
    return { status, body: text === '' ? undefined : parseJson(text), ...(why === undefined ? {} : { why }) };
  };

  /** Fetches a file; undefined if there is none. */
  async file(path: string): Promise<Buffer | undefined> {
    const { status, bytes } = await this.#send('GET', path, undefined, FILE_MS, MAX_FILE_BYTES);
    return status === 200 ? bytes : undefined;
  }

  async #send(
    method: AriMethod,
    path: string,
    body: JsonObject | undefined,
    timeoutMs: number,
    maxBytes: number,
  ): Promise<{ status: number; bytes?: Buffer; why?: string }> {
    if (this.#waiting >= MAX_WAITING) return { status: 0, why: 'too many requests wait for Asterisk' };
    this.#waiting += 1;
    try {
      const result = await this.#parts.http.send({
        method,
        url: new URL(`${this.#address.url}/${path}`),
        headers: {
          authorization: this.#authorization,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...{ timeoutMs, maxBytes },
      });
      const why = result.code === undefined ? {} : { why: result.code };
      return { status: result.status ?? 0, ...(result.body ? { bytes: result.body } : {}), ...why };
    } finally {
      this.#waiting -= 1;
    }
  }

  async #connect(): Promise<void> {
    const { url, application } = this.#address;
    const socket = new WebSocket(
      `${url.replace(/^http/, 'ws')}/events?app=${encodeURIComponent(application)}&subscribeAll=false`,
      {
        headers: { authorization: this.#authorization },
        handshakeTimeout: OPEN_MS,
        maxPayload: MAX_MESSAGE_BYTES,
        perMessageDeflate: false,
      },
    );
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    if (this.#isClosed) return socket.terminate();
    this.#socket = socket;
    this.#isUp = true;
    this.#retryMs = FIRST_RETRY_MS;
    socket.on('message', (data) => this.#receive(socket, String(data)));
    // `close` follows.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#socketGone(socket, 'the web socket was closed'));
    this.#beat(socket);
    this.#parts.up();
  }

  #receive(socket: WebSocket, text: string): void {
    if (socket !== this.#socket) return;
    const event = parseJson(text);
    if (isObject(event) && typeof event['type'] === 'string') this.#parts.event(event);
  }

  /** Sends WebSocket pings, to detect a peer that vanished without a close. */
  #beat(socket: WebSocket): void {
    let isAlive = true;
    socket.on('pong', () => {
      isAlive = true;
    });
    const next = (): void => {
      this.#timer = this.#parts.clock.after(BEAT_MS, () => {
        if (!isAlive) return socket.terminate();
        isAlive = false;
        socket.ping();
        next();
      });
    };
    next();
  }

  #socketGone(socket: WebSocket, why: string): void {
    if (socket !== this.#socket) return;
    this.#timer?.cancel();
    this.#lost(why);
    if (!this.#isClosed) this.#retryLater();
  }

  #lost(why: string): void {
    this.#socket = undefined;
    if (!this.#isUp) return;
    this.#isUp = false;
    this.#parts.down(why);
  }

  #retryLater(): void {
    this.#timer = this.#parts.clock.after(this.#retryMs, () => {
      this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
      this.#connect().catch(() => {
        if (!this.#isClosed) this.#retryLater();
      });
    });
  }
}

/** Joins the path segments, with escaping. */
export const ariPath = (...segments: readonly string[]): string => segments.map(encodeURIComponent).join('/');

/** A new channel is not in the application at once: Asterisk refuses requests for it until then. */
const NOT_YET: readonly number[] = [404, 409];
const AGAIN_MS = 20;
const MAX_TRIES = 25;

/** Returns the answer once the channel exists, or the last one if it does not appear. */
export async function onceThere(clock: Clock, ask: () => Promise<AriReply>): Promise<AriReply> {
  for (let tries = 1; ; tries++) {
    const reply = await ask();
    if (!NOT_YET.includes(reply.status) || tries === MAX_TRIES) return reply;
    await new Promise<void>((resolve) => clock.after(AGAIN_MS, resolve));
  }
}
