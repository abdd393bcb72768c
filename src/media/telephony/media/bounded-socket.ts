/**
 * WebSocket to an untrusted receiver of audio: a stream receiver or an AI agent. It runs in the main thread, because
 * media threads must not block, and names are resolved and certificates checked here.
 *
 * Invariants
 *  - `ended` is called once, unless `stop` was called before; no event follows either;
 *  - the queue for a slow receiver is limited: the oldest frames are dropped and counted;
 *  - reading from a receiver is limited per second, and further data waits in its socket; pongs that it does not read
 *    are not queued;
 *  - redirects are not followed, and a connection is not retried.
 */
import type { LookupFunction } from 'node:net';
import { WebSocket } from 'ws';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { isObject, type JsonObject, parseJson } from '../../../base/core/json.ts';

export interface BoundedSocketOptions {
  url: string;
  headers?: Readonly<Record<string, string>>;
  clock: Clock;
  /** Refuses forbidden addresses after resolution. */
  lookup?: ((url: string) => LookupFunction) | undefined;
  mostMessageBytes: number;
  opened(): void;
  /** Receives JSON objects; other messages are ignored. */
  message(message: JsonObject): void;
  ended(result: SocketEnd): void;
}

/** `isBroken`: the connection failed, or was lost without a close. `isOrderly`: it was closed normally. */
export interface SocketEnd {
  isBroken: boolean;
  isOrderly: boolean;
  cause: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** Maximum bytes in the socket's buffer; further frames are queued here, where they can be dropped. */
const MAX_BUFFERED_BYTES = 64 * 1024;
/** Maximum bytes of other messages: a receiver that does not read them is gone. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Three seconds of two tracks. */
const MAX_WAITING = 300;
const NORMAL_CLOSURE = 1000;
/** Normal, going away, and without a status (RFC 6455 §7.4.1). */
const ORDERLY = [NORMAL_CLOSURE, 1001, 1005];
/** A minute of audio at once, in the smallest usual chunks, or in one. */
const MAX_MESSAGES_PER_SECOND = 6_000;
const MAX_BYTES_PER_SECOND = 1024 * 1024;
const BUDGET_MS = 1_000;

export class BoundedSocket {
  readonly #options: BoundedSocketOptions;
  readonly #socket: WebSocket;
  readonly #waiting: string[] = [];
  #state: 'connecting' | 'open' | 'over' = 'connecting';
  #dropped = 0;
  readonly #read = { messages: 0, bytes: 0 };
  /** Runs until the end of the current second. */
  #second: Timer | undefined;

  /** Throws if the URL is not a WebSocket URL. */
  constructor(options: BoundedSocketOptions) {
    this.#options = options;
    const { url, headers = {}, lookup, mostMessageBytes } = options;
    const socket = new WebSocket(url, {
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      followRedirects: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: mostMessageBytes,
      headers,
      ...(lookup ? { lookup: lookup(url) } : {}),
    });
    this.#socket = socket;
    socket.on('open', () => {
      if (this.#state !== 'connecting') return;
      this.#state = 'open';
      options.opened();
    });
    socket.on('message', (data, isBinary) => {
      // In the default mode a message is one buffer.
      this.#count((data as Buffer).length);
      if (isBinary || this.#state !== 'open') return;
      const message = parseJson(String(data));
      if (isObject(message)) options.message(message);
    });
    socket.on('ping', (data) => {
      this.#count(data.length);
      if (socket.bufferedAmount < MAX_BUFFERED_BYTES) socket.pong(data);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#end({ isBroken: true, isOrderly: false, cause: error.code ?? error.message });
    });
    socket.on('close', (code) => {
      this.#end({ isBroken: false, isOrderly: ORDERLY.includes(code), cause: `closed with ${code}` });
    });
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Number of frames that were dropped for a slow receiver. */
  get dropped(): number {
    return this.#dropped;
  }

  send(message: object): void {
    if (this.#state !== 'open') return;
    if (this.#socket.bufferedAmount <= MAX_UNREAD_BYTES) this.#socket.send(JSON.stringify(message));
    else this.#end({ isBroken: true, isOrderly: false, cause: 'it does not read' });
  }

  /** Sends audio, which may be dropped. */
  sendFrame(text: string): void {
    if (this.#state !== 'open') return;
    this.#waiting.push(text);
    if (this.#waiting.length > MAX_WAITING) {
      this.#waiting.shift();
      this.#dropped++;
    }
    while (this.#waiting.length > 0 && this.#socket.bufferedAmount < MAX_BUFFERED_BYTES) {
      this.#socket.send(this.#waiting.shift()!);
    }
  }

  /** Ends the connection with these last messages, if it is open. */
  stop(last: readonly object[] = []): void {
    const wasOpen = this.#state === 'open';
    this.#state = 'over';
    this.#second?.cancel();
    if (!wasOpen) {
      this.#socket.terminate();
      return;
    }
    for (const message of last) this.#socket.send(JSON.stringify(message));
    this.#socket.close(NORMAL_CLOSURE);
    const timer = this.#options.clock.after(CLOSE_TIMEOUT_MS, () => this.#socket.terminate());
    this.#socket.once('close', () => timer.cancel());
  }

  #count(bytes: number): void {
    if (this.#state === 'over') return;
    this.#second ??= this.#options.clock.after(BUDGET_MS, () => this.#newSecond());
    this.#read.messages++;
    this.#read.bytes += bytes;
    if (this.#read.messages >= MAX_MESSAGES_PER_SECOND || this.#read.bytes >= MAX_BYTES_PER_SECOND)
      this.#socket.pause();
  }

  #newSecond(): void {
    this.#second = undefined;
    this.#read.messages = 0;
    this.#read.bytes = 0;
    this.#socket.resume();
  }

  #end(result: SocketEnd): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#second?.cancel();
    this.#socket.terminate();
    this.#options.ended(result);
  }
}
