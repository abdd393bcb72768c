/**
 * HTTP client for all outbound requests: webhooks, the requests of flows, requests to speech engines. It tolerates any
 * behaviour of the server.
 *
 * Invariants
 *  - a request completes within its timeout, and nothing is thrown;
 *  - a response is read up to the limit, and no redirect is followed;
 *  - a client with a policy connects only to what the policy allows.
 */
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import { defined } from '../core/json.ts';
import { gradualConnector } from './gradual-connector.ts';
import {
  guardedLookup,
  hostOf,
  isAllowedAddress,
  portOf,
  refusalOfUrl,
  type TargetPolicy,
  TargetRefused,
} from './ssrf-guard.ts';

export interface HttpClientRequest {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
  timeoutMs: number;
  /** Limit of the response body. */
  maxBytes: number;
  /** Ends the request with the failure `aborted`. */
  signal?: AbortSignal;
}

/** A status without a body means that the response was interrupted, or too large. */
export type HttpResult =
  | (HttpAnswerHead & { body: Buffer })
  | (HttpAnswerHead & { failure: HttpFailure; code: string })
  | { failure: HttpFailure; code: string };

interface HttpAnswerHead {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export type HttpFailure =
  | 'aborted'
  | 'timeout'
  | 'too_large'
  | 'refused_target'
  | 'connection_refused'
  | 'connection_reset'
  | 'name_not_found'
  | 'tls'
  | 'bad_response'
  | 'network';

export interface HttpClient {
  /** Returns why a URL is refused before a request; undefined if it is permitted. */
  urlProblem(url: string): string | undefined;
  send(request: HttpClientRequest): Promise<HttpResult>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export interface HttpClientOptions {
  clock: Pick<Clock, 'after'>;
  /** Permitted targets; absent: no limit. */
  policy?: TargetPolicy;
  /** Maximum connections to one origin; absent: no limit. */
  connections?: number | undefined;
  /** Maximum connections that are being opened at a time; absent: no limit. */
  opening?: number | undefined;
  /** Name resolution; absent: that of the system. */
  lookup?: LookupFunction | undefined;
}

const CONNECT_TIMEOUT_MS = 5000;
const MAX_CONNECTORS = 1000;
const MAX_KNOWN_ORIGINS = 1000;

export function createHttpClient({ clock, policy, connections, opening, lookup }: HttpClientOptions): HttpClient {
  const guarded = policy && guardedConnector(policy, lookup);
  const connect =
    opening === undefined
      ? guarded
      : gradualConnector(guarded ?? buildConnector({ timeout: CONNECT_TIMEOUT_MS }), { opening, clock });
  const agent = new Agent(defined({ connections, connect }));
  const isRefused = refusalOfOrigins(policy);
  return {
    urlProblem: (url) => refusalOfUrl(url, policy),
    send(request) {
      const { timeoutMs, signal } = request;
      if (isRefused(request.url)) return Promise.resolve({ failure: 'refused_target', code: 'TARGET_REFUSED' });
      return new Promise((resolve) => {
        const exchange = new Exchange(request.maxBytes, (result) => {
          timer.cancel();
          signal?.removeEventListener('abort', abort);
          resolve(result);
        });
        const abort = (): void => exchange.fail('aborted');
        const timer = clock.after(timeoutMs, () => exchange.fail('timeout'));
        signal?.addEventListener('abort', abort);
        if (signal?.aborted) abort();
        else dispatch(agent, request, exchange);
      });
    },
    close: () => agent.destroy(),
  };
}

/**
 * Returns a function that checks by origin whether a URL is refused, before name resolution; results are cached until
 * the policy changes.
 */
function refusalOfOrigins(policy: TargetPolicy | undefined): (url: URL) => boolean {
  const known = new Map<string, boolean>();
  let judgedBy = policy?.privateTargets;
  return (url) => {
    const { origin } = url;
    if (judgedBy !== policy?.privateTargets || known.size >= MAX_KNOWN_ORIGINS) known.clear();
    judgedBy = policy?.privateTargets;
    let refused = known.get(origin);
    if (refused === undefined) {
      refused = refusalOfUrl(url.href, policy) !== undefined;
      known.set(origin, refused);
    }
    return refused;
  };
}

/** Connects only to what the policy allows. */
function guardedConnector(policy: TargetPolicy, lookup: LookupFunction | undefined): buildConnector.connector {
  const connectors = new Map<number, buildConnector.connector>();
  return (target, done) => {
    // No lookup is made for a host that is a literal address.
    const literal = hostOf(target.hostname);
    const port = portOf(target.port, target.protocol);
    if (isIP(literal) !== 0 && !isAllowedAddress(literal, policy, port)) {
      done(new TargetRefused(`${literal} is not allowed`), null);
      return;
    }
    // Permission may depend on the port, which a lookup does not know.
    let connect = connectors.get(port);
    if (!connect) {
      connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(policy, lookup, port) });
      if (connectors.size >= MAX_CONNECTORS) connectors.clear();
      connectors.set(port, connect);
    }
    connect(target, done);
  };
}

function dispatch(agent: Agent, { method, url, headers, body }: HttpClientRequest, exchange: Exchange): void {
  agent.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body ?? null,
      // The single timeout covers the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    exchange,
  );
}

/** Handles what the HTTP library reports of one request, until its result is known; later reports are ignored. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number;
  #done: ((result: HttpResult) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #head: HttpAnswerHead | undefined;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number, done: (result: HttpResult) => void) {
    this.#maxBytes = maxBytes;
    this.#done = done;
  }

  fail(failure: HttpFailure, code = ''): void {
    this.#end({ ...this.#head, failure, code });
    this.#controller?.abort(new Error(failure));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The request ended before there was a connection.
    if (!this.#done) controller.abort(new Error('too late'));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HttpAnswerHead['headers']): void {
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.fail('too_large');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#end({ ...this.#head!, body: Buffer.concat(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: unknown): void {
    const { failure, code } = failureOf(error);
    this.#end({ ...this.#head, failure, code });
  }

  #end(result: HttpResult): void {
    this.#done?.(result);
    this.#done = undefined;
    this.#chunks = [];
  }
}

const FAILURES: Readonly<Record<string, HttpFailure>> = {
  TARGET_REFUSED: 'refused_target',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
};

function failureOf(error: unknown): { failure: HttpFailure; code: string } {
  // Several addresses were tried: uses the error of the last one.
  const cause = error instanceof AggregateError ? error.errors.at(-1) : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return { failure: FAILURES[code] ?? failureByKind(code, cause), code };
}

function failureByKind(code: string, cause: unknown): HttpFailure {
  if (code.startsWith('HPE_') || (cause instanceof Error && cause.name === 'HTTPParserError')) return 'bad_response';
  return code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || /CERT|SELF_SIGNED/.test(code) ? 'tls' : 'network';
}
