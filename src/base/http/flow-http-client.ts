/**
 * HTTP requests of flows (`request`, `webhook`): builds the request of a step, and reads the response.
 * Invariant: headers of the flow cannot change where a request ends or what follows it on the connection.
 */
import type { HttpReply, HttpRequest, MessageProvider } from '../core/http-exchange.ts';
import { isDeeperThan, isObject, type Json, type JsonObject, parseExactJson } from '../core/json.ts';
import type { PaymentProvider } from '../core/payment.ts';
import type { FlowCallOrder } from '../core/placed-call.ts';
import type { TraceContext } from '../core/trace-context.ts';
import { hasDotSegments } from '../core/url-segments.ts';
import { bodyText } from './body-text.ts';
import type { HttpClient, HttpResult } from './http-client.ts';
import { providerRequest } from './message-provider.ts';
import { sendPayment } from './payments/send-payment.ts';

const MAX_ANSWER_BYTES = 1_048_576;
/** Limited because later code that walks the answer is recursive. */
const MAX_ANSWER_DEPTH = 60;
const MAX_TIMEOUT_MS = 120_000;
/** Hop-by-hop headers (RFC 9110 §7.6.1), and those that the client sets. */
const RESERVED_HEADERS = new Set(
  'connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(' '),
);

export interface FlowHttpClientOptions {
  client: HttpClient;
  /** Returns headers that prove the origin of a body; undefined if the project has no signing key. */
  sign(projectId: string, body: string): Record<string, string> | undefined;
  /** Returns the trace context of a request of a call; absent without tracing. */
  traceOf?(callId: string, requestId: string): TraceContext | undefined;
  /** Called with each response, and with each failure of a request that its step had not cancelled. */
  answered?(host: string, reply: HttpReply): void;
  /** Returns the current message providers; absent: there are none. */
  messageProviders?(): readonly MessageProvider[];
  /** Places or cancels a call of a flow; absent: there is no service that could. */
  placeCall?(order: FlowCallOrder, projectId: string): Promise<HttpReply>;
  /** Returns the current payment providers; absent: there are none. */
  paymentProviders?(): readonly PaymentProvider[];
}

/** Never rejects. */
export type FlowHttpClient = (
  request: HttpRequest,
  projectId: string,
  signal: AbortSignal,
  of?: { callId: string; requestId: string },
) => Promise<HttpReply>;

export function createFlowHttpClient(options: FlowHttpClientOptions): FlowHttpClient {
  const { client, sign, traceOf, messageProviders = () => [], paymentProviders = () => [] } = options;
  const send: FlowHttpClient = async (asked, projectId, signal, of) => {
    const { payment, call, ...plain } = asked;
    if (call) return (await options.placeCall?.(call, projectId)) ?? refused('no service is running that places calls');
    if (payment) {
      return sendPayment(payment, paymentProviders(), (request) =>
        send({ ...plain, ...request }, projectId, signal, of),
      );
    }
    const request = asked.message ? providerRequest(asked, asked.message, messageProviders()) : asked;
    if (!request) return refused('the configuration has no such provider of messages');
    if (asked.message && hasDotSegments(request.url)) return refused('the message would change the path of its URL');
    const refusal = client.urlProblem(request.url);
    if (refusal !== undefined) return refused(refusal);
    const body = request.body === undefined ? undefined : textOf(request.body, request.isForm);
    const signature = request.signed ? sign(projectId, body ?? '') : {};
    if (!signature) return refused('the project has no secret to sign with');
    const result = await client.send({
      method: request.method,
      url: new URL(request.url),
      headers: { ...headersOf(request, of && traceOf?.(of.callId, of.requestId)), ...signature },
      body,
      timeoutMs: Math.min(request.timeoutMs, MAX_TIMEOUT_MS),
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    });
    const reply = 'body' in result ? await replyOf(result) : failureOf(result, request);
    if (!signal.aborted) options.answered?.(new URL(request.url).host, reply);
    return reply;
  };
  return send;
}

async function replyOf(answer: Extract<HttpResult, { body: Buffer }>): Promise<HttpReply> {
  const headers = flatHeaders(answer.headers);
  const made = await bodyText(answer.body, answer.headers, { maxBytes: MAX_ANSWER_BYTES });
  if ('wrong' in made)
    return { ok: false, reason: made.wrong === 'too_large' ? 'too_large' : 'invalid', message: made.message };
  const read = bodyOf(made.text, headers['content-type'] ?? '');
  if (!read) return invalid('the answer says it is JSON and is not');
  if (isDeeperThan(read.body, MAX_ANSWER_DEPTH))
    return invalid(`the answer is nested more than ${MAX_ANSWER_DEPTH} levels deep`);
  return { ok: true, status: answer.status, headers, body: read.body };
}

function failureOf({ failure, code }: Extract<HttpResult, { code: string }>, { timeoutMs }: HttpRequest): HttpReply {
  // Otherwise the connection was not established in time.
  if (failure === 'timeout' && code === '')
    return { ok: false, reason: 'timeout', message: `no answer in ${timeoutMs} ms` };
  if (failure === 'too_large')
    return { ok: false, reason: 'too_large', message: `more than ${MAX_ANSWER_BYTES} bytes` };
  if (failure === 'refused_target') return refused('the address is not allowed');
  if (code === 'UND_ERR_INVALID_ARG') return refused('the request is malformed');
  const message = code === '' ? 'the connection failed' : `the connection failed (${code})`;
  return { ok: false, reason: 'network', message };
}

const refused = (message: string): HttpReply => ({ ok: false, reason: 'refused', message });
const invalid = (message: string): HttpReply => ({ ok: false, reason: 'invalid', message });

function textOf(body: Json, isForm = false): string {
  if (isForm && isObject(body)) return formText(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** A list becomes one field for each value; a field without a value is left out. */
function formText(fields: JsonObject): string {
  const values = Object.entries(fields).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((each) => each !== null)
      .map((each): [string, string] => [name, String(each)]),
  );
  return new URLSearchParams(values).toString();
}

function contentTypeOf({ body, isForm }: HttpRequest): string {
  if (isForm) return 'application/x-www-form-urlencoded';
  return typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
}

function headersOf(request: HttpRequest, trace: TraceContext | undefined): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'callweave', accept: 'application/json, text/plain;q=0.5' };
  if (request.key !== undefined) headers['idempotency-key'] = request.key;
  if (request.body !== undefined) headers['content-type'] = contentTypeOf(request);
  for (const [name, value] of Object.entries(request.headers)) {
    const key = name.toLowerCase();
    if (!RESERVED_HEADERS.has(key)) headers[key] = value.replace(/[\r\n\0]+/g, ' ');
  }
  // If the flow sets its own trace, that of the service is not sent.
  return headers['traceparent'] === undefined ? { ...headers, ...trace } : headers;
}

/** Parses JSON; a body that is not JSON is text. Undefined if the content type is JSON and the body is not. */
function bodyOf(text: string, contentType: string): { body: Json } | undefined {
  if (text.trim() === '') return { body: null };
  const body = parseExactJson(text);
  if (body !== undefined) return { body };
  return /\bjson\b/i.test(contentType) ? undefined : { body: text };
}

function flatHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
