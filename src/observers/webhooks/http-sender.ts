/**
 * Sends one event over HTTP, and survives whatever the other end does.
 * Invariants: an attempt takes no longer than its time-out; no redirect is followed; of a response no more is read than
 * the limit.
 */

import type { Dispatcher } from 'undici';
import type { Clock } from '../../core/clock.ts';
import { defined } from '../../core/json.ts';
import { type GuardedAgentOptions, guardedAgent, refusalOfUrl, type TargetPolicy } from '../../http/ssrf-guard.ts';
import type { AnswerBody, Sender, SendFailure, SendResult } from './sender.ts';

export interface HttpSenderOptions {
  clock: Clock;
  timeoutMs: number;
  /** Simultaneous connections to one server; as many as there are attempts at once when absent. */
  connections?: number;
  /** Bytes of a response that are read. */
  maxAnswerBytes?: number;
  /** How names are resolved; the system's way when absent. */
  lookup?: NonNullable<GuardedAgentOptions['lookup']>;
}

const MAX_ANSWER_BYTES = 65_536;
const MOST_KNOWN_ORIGINS = 1000;

export function httpSender(policy: TargetPolicy, options: HttpSenderOptions): Sender {
  const { clock, timeoutMs, maxAnswerBytes = MAX_ANSWER_BYTES } = options;
  const agent = guardedAgent(
    policy,
    defined({ connectTimeoutMs: timeoutMs, connections: options.connections, lookup: options.lookup }),
  );
  /** Whether they may not be sent anything, as far as that can be said before a name is resolved. */
  const origins = new Map<string, boolean>();
  let judgedBy = policy.privateTargets;

  function isRefused({ origin, href }: URL): boolean {
    if (judgedBy !== policy.privateTargets) origins.clear();
    judgedBy = policy.privateTargets;
    let refused = origins.get(origin);
    if (refused === undefined) {
      refused = refusalOfUrl(href, policy) !== undefined;
      if (origins.size >= MOST_KNOWN_ORIGINS) origins.clear();
      origins.set(origin, refused);
    }
    return refused;
  }

  return {
    send({ url, headers, body }) {
      const target = URL.parse(url);
      if (!target || isRefused(target)) return Promise.resolve({ failure: 'refused_target' });
      return new Promise((resolve) => {
        const attempt = new Attempt(maxAnswerBytes, (result) => {
          timer.cancel();
          resolve(result);
        });
        const timer = clock.after(timeoutMs, () => attempt.timeOut());
        agent.dispatch(
          {
            origin: target.origin,
            path: target.pathname + target.search,
            method: 'POST',
            headers: {
              ...headers,
              ...credentials(target),
              'content-type': 'application/json',
              'user-agent': 'callweave',
              accept: 'application/json',
            },
            body,
            // The one time-out is for all of it.
            headersTimeout: 0,
            bodyTimeout: 0,
          },
          attempt,
        );
      });
    },
    close: () => agent.destroy(),
  };
}

/** What the HTTP client tells of one attempt, until its outcome is known; what it tells afterwards is ignored. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number;
  #done: ((result: SendResult) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number, done: (result: SendResult) => void) {
    this.#maxBytes = maxBytes;
    this.#done = done;
  }

  timeOut(): void {
    this.#end(this.#status === undefined ? { failure: 'timeout' } : this.#answered({ unread: 'broken_off' }));
    this.#controller?.abort(new Error('time-out'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection for too long.
    if (!this.#done) controller.abort(new Error('time-out'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    if (statusCode >= 200) this.#status = statusCode;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#maxBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#end(this.#answered({ unread: 'too_large' }));
    controller.abort(new Error('too large'));
  }

  onResponseEnd(): void {
    this.#end(this.#answered({ text: this.#bytes === 0 ? '' : Buffer.concat(this.#chunks).toString('utf8') }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    // The status is there already: what happens to the body changes nothing but the answer.
    this.#end(this.#status === undefined ? { failure: failureOf(error) } : this.#answered({ unread: 'broken_off' }));
  }

  #answered(body: AnswerBody): SendResult {
    return { status: this.#status!, body };
  }

  #end(result: SendResult): void {
    this.#done?.(result);
    this.#done = undefined;
    this.#chunks = [];
  }
}

/** `https://name:password@host/` is sent as Basic credentials, as people who write such URLs expect. */
function credentials({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = [username, password].map(decodeOrKeep).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const FAILURES: Readonly<Record<string, SendFailure>> = {
  TARGET_REFUSED: 'refused_target',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
};

function failureOf(error: unknown): SendFailure {
  if (!(error instanceof Error)) return 'network';
  // Several addresses were tried: what the last one said.
  if (error instanceof AggregateError) return failureOf(error.errors.at(-1));
  const code = 'code' in error ? String(error.code) : '';
  const known = FAILURES[code];
  if (known) return known;
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return 'bad_response';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || /CERT|SELF_SIGNED/.test(code)) return 'tls';
  return 'network';
}
