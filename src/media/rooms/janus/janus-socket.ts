/**
 * WebSocket to Janus, for its API or its admin API: requests carry a transaction id, and the configured secret.
 * Asynchronous events of Janus go to `notice`.
 *
 * Invariants
 *  - every request completes: with an answer, with an error, or when the socket is closed;
 *  - `gone` is called once, and no message is delivered after it.
 */
import { WebSocket } from 'ws';
import type { Clock, Timer } from '../../../base/core/clock.ts';
import { isObject, type JsonObject, parseJson } from '../../../base/core/json.ts';

export interface JanusSocketParts {
  clock: Clock;
  /** Added to every request. */
  credentials: JsonObject;
  notice?(message: JsonObject): void;
  gone(why: string): void;
}

export class JanusError extends Error {
  constructor(code: unknown, reason: unknown) {
    super(`Janus: ${String(reason)} (${String(code)})`);
  }
}

const OPEN_MS = 5000;
const ANSWER_MS = 10_000;
/** The description of a large room has a thousand lines. */
const MAX_MESSAGE_BYTES = 4 * 2 ** 20;

interface Waiting {
  /** True for requests to a plugin: its answer is an event, which follows the acknowledgement. */
  takesEvent: boolean;
  resolve(message: JsonObject): void;
  reject(error: Error): void;
  limit: Timer;
}

export class JanusSocket {
  readonly #socket: WebSocket;
  readonly #parts: JanusSocketParts;
  readonly #waiting = new Map<string, Waiting>();
  #transactions = 0;
  #isOver = false;

  private constructor(socket: WebSocket, parts: JanusSocketParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.on('message', (data) => this.#receive(String(data)));
    socket.once('close', () => this.end('its web socket was closed'));
    // `close` follows.
    socket.on('error', () => undefined);
  }

  /** Rejects if the connection fails. */
  static async open(url: string, protocol: string, parts: JanusSocketParts): Promise<JanusSocket> {
    const socket = new WebSocket(url, protocol, {
      handshakeTimeout: OPEN_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return new JanusSocket(socket, parts);
  }

  ask(message: JsonObject): Promise<JsonObject> {
    if (this.#isOver) return Promise.reject(new Error('the link to Janus is gone'));
    const { clock, credentials } = this.#parts;
    const transaction = String(++this.#transactions);
    return new Promise((resolve, reject) => {
      const limit = clock.after(ANSWER_MS, () => {
        this.#waiting.delete(transaction);
        reject(new Error(`Janus did not answer ${String(message['janus'])}`));
      });
      this.#waiting.set(transaction, { takesEvent: message['janus'] === 'message', resolve, reject, limit });
      this.#socket.send(JSON.stringify({ ...message, ...credentials, transaction }));
    });
  }

  #receive(text: string): void {
    const message = parseJson(text);
    if (this.#isOver || !isObject(message)) return;
    const transaction = String(message['transaction']);
    const waiting = this.#waiting.get(transaction);
    if (!waiting) {
      this.#parts.notice?.(message);
      return;
    }
    if (message['janus'] === 'ack' && waiting.takesEvent) return;
    this.#waiting.delete(transaction);
    waiting.limit.cancel();
    const error = errorOf(message);
    if (error) waiting.reject(error);
    else waiting.resolve(message);
  }

  end(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.terminate();
    for (const { reject, limit } of this.#waiting.values()) {
      limit.cancel();
      reject(new Error(`the link to Janus is gone: ${why}`));
    }
    this.#waiting.clear();
    this.#parts.gone(why);
  }
}

/** Data of the plugin in a message. */
export function pluginDataOf({ plugindata }: JsonObject): JsonObject {
  const data = isObject(plugindata) ? plugindata['data'] : undefined;
  return isObject(data) ? data : {};
}

/** Error of Janus, or of its plugin. */
function errorOf(message: JsonObject): JanusError | undefined {
  const { error } = message;
  if (message['janus'] === 'error' && isObject(error)) return new JanusError(error['code'], error['reason']);
  const data = pluginDataOf(message);
  return data['error_code'] === undefined ? undefined : new JanusError(data['error_code'], data['error']);
}
