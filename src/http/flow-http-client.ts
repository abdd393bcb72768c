/**
 * The HTTP requests that flows make (`request`, `webhook`). Where they may go is decided by the dispatcher that is given,
 * the same that guards webhooks.
 *
 * Invariants
 *  H1 an answer comes within the request's time-out, and nothing is ever thrown;
 *  H2 of an answer no more is read than the limit; redirects are not followed;
 *  H3 headers of the flow cannot change where a request ends or what follows it on the connection.
 */
import type { Dispatcher } from 'undici';
import { request as send } from 'undici';
import type { Clock } from '../core/clock.ts';
import { isDeeperThan, type Json } from '../core/json.ts';
import type { HttpReply, HttpRequest } from '../steps/step.ts';
import { readBody } from './read-body.ts';

const MAX_ANSWER_BYTES = 1_048_576;
/** Whatever walks it later is recursive. */
const MAX_ANSWER_DEPTH = 60;
const MAX_TIMEOUT_MS = 120_000;
/** Hop by hop (RFC 9110 §7.6.1), or set by us. */
const RESERVED_HEADERS = new Set(
  'connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(' '),
);

export interface FlowHttpClientOptions {
  clock: Clock;
  /** Connects to nothing but what is allowed; an address that is not fails with the code `TARGET_REFUSED`. */
  dispatcher: Dispatcher;
  /** What is wrong with a URL, before anything is tried. */
  urlProblem(url: string): string | undefined;
  /** Headers that prove a body to be ours; undefined when the project cannot sign. */
  sign(projectId: string, body: string): Record<string, string> | undefined;
}

export type FlowHttpClient = (request: HttpRequest, projectId: string, signal: AbortSignal) => Promise<HttpReply>;

export function createFlowHttpClient(options: FlowHttpClientOptions): FlowHttpClient {
  return async (request, projectId, signal) => {
    const refusal = options.urlProblem(request.url);
    if (refusal !== undefined) return refused(refusal);
    const body = request.body === undefined ? undefined : textOf(request.body);
    const signature = request.signed ? options.sign(projectId, body ?? '') : {};
    if (!signature) return refused('the project has no secret to sign with');

    const abort = new AbortController();
    const timer = options.clock.after(Math.min(request.timeoutMs, MAX_TIMEOUT_MS), () => abort.abort('timeout'));
    try {
      const response = await send(request.url, {
        method: request.method as Dispatcher.HttpMethod,
        headers: { ...headersOf(request), ...signature },
        ...(body === undefined ? {} : { body }),
        dispatcher: options.dispatcher,
        signal: AbortSignal.any([abort.signal, signal]),
      });
      const text = await readBody(response.body, MAX_ANSWER_BYTES);
      if (text === undefined) return { ok: false, reason: 'too_large', message: `more than ${MAX_ANSWER_BYTES} bytes` };
      const headers = flatHeaders(response.headers);
      const read = bodyOf(text, headers['content-type'] ?? '');
      if (read && isDeeperThan(read.body, MAX_ANSWER_DEPTH)) return tooDeep();
      return read ? { ok: true, status: response.statusCode, headers, body: read.body } : notJson();
    } catch (error) {
      if (abort.signal.aborted)
        return { ok: false, reason: 'timeout', message: `no answer in ${request.timeoutMs} ms` };
      return failure(error);
    } finally {
      timer.cancel();
    }
  };
}

const refused = (message: string): HttpReply => ({ ok: false, reason: 'refused', message });
const notJson = (): HttpReply => ({ ok: false, reason: 'invalid', message: 'the answer says it is JSON and is not' });

const tooDeep = (): HttpReply => ({
  ok: false,
  reason: 'invalid',
  message: `the answer is nested more than ${MAX_ANSWER_DEPTH} levels deep`,
});

const textOf = (body: Json): string => (typeof body === 'string' ? body : JSON.stringify(body));

function headersOf(request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'callweave', accept: 'application/json, text/plain;q=0.5' };
  if (request.body !== undefined) {
    headers['content-type'] = typeof request.body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  }
  for (const [name, value] of Object.entries(request.headers)) {
    const key = name.toLowerCase();
    if (!RESERVED_HEADERS.has(key)) headers[key] = value.replace(/[\r\n\0]+/g, ' ');
  }
  return headers;
}

/** JSON where it says so or is so; else the text. Undefined: it says so and is not. */
function bodyOf(text: string, contentType: string): { body: Json } | undefined {
  if (text.trim() === '') return { body: null };
  try {
    return { body: JSON.parse(text) as Json };
  } catch {
    return /\bjson\b/i.test(contentType) ? undefined : { body: text };
  }
}

function flatHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

function failure(error: unknown): HttpReply {
  const cause = error instanceof AggregateError ? error.errors.at(-1) : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'TARGET_REFUSED') return refused('the address is not allowed');
  if (code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_URL') return refused('the request is malformed');
  return {
    ok: false,
    reason: 'network',
    message: code === '' ? 'the connection failed' : `the connection failed (${code})`,
  };
}
