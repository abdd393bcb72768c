/** The HTTP request that the arguments of `request` describe, and the outcome that an answer has. Pure. */
import type { HttpAnswer, HttpRequest } from '../../base/core/http-exchange.ts';
import { compileCheck } from '../../base/schema/compile-check.ts';
import { durationMs } from './arguments.ts';
import { requestHeaders } from './http-request.ts';
import type { RequestArgs, RequestOutcome } from './verb-types.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** `key`: idempotency key, equal in every attempt, also if another node repeats the request. */
export function requestOf(args: RequestArgs, { step, key }: { step: string; key: string }): HttpRequest {
  const method = METHODS.find((name) => args[name] !== undefined) ?? 'get';
  const isIdempotent = method === 'put' || method === 'delete' || args.idempotent;
  return {
    name: step,
    method: method.toUpperCase(),
    url: args[method] ?? '',
    headers: requestHeaders(args),
    timeoutMs: durationMs(args.timeout),
    ...(args.body !== undefined && { body: args.body }),
    ...(isIdempotent && { key }),
    ...(args.form !== undefined && { body: args.form, isForm: true }),
  };
}

const FAILURES: Readonly<Record<Extract<HttpAnswer, { ok: false }>['reason'], RequestOutcome>> = {
  timeout: 'failed.timeout',
  network: 'failed.network',
  refused: 'failed.network',
  too_large: 'failed.invalid',
  invalid: 'failed.invalid',
};

/** `returns`: schema of the body. */
export function outcomeOf(reply: HttpAnswer, returns: RequestArgs['returns']): RequestOutcome {
  if (!reply.ok) return FAILURES[reply.reason];
  if (reply.status === 404) return 'not_found';
  if (reply.status >= 500) return 'failed.5xx';
  if (reply.status >= 300) return 'failed.4xx';
  if (typeof returns === 'object' && compileCheck(returns)(reply.body) !== undefined) return 'failed.invalid';
  return 'ok';
}
