import type { HttpAnswer, HttpRequest } from '../../base/core/http-exchange.ts';
import type { JsonObject } from '../../base/core/json.ts';
import { compileCheck } from '../../base/schema/compile-check.ts';
import { durationMs } from '../../language/steps/arguments.ts';
import { fetchReply, playMeanwhile, requestHeaders } from '../../language/steps/http-request.ts';
import { defineStep, type StepContext } from '../../language/steps/step.ts';
import type { RequestArgs, RequestOutcome } from '../../language/steps/verb-types.ts';
import { delay } from '../../language/steps/waiting.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export const step = defineStep<RequestArgs, RequestOutcome>({
  verb: 'request',
  async *run(context) {
    const { retry, meanwhile, returns } = context.input;
    await playMeanwhile(context, meanwhile);
    for (let attempt = 0; ; attempt++) {
      const reply = yield* fetchReply(context, httpRequest(context));
      const outcome = outcomeOf(reply, returns);
      const kind = outcome.split('.')[1];
      if (!retry || attempt >= retry.times || !(retry.when as readonly (string | undefined)[]).includes(kind)) {
        return { outcome, result: resultOf(reply) };
      }
      yield* delay(context, durationMs(retry.backoff) * 2 ** attempt);
    }
  },
});

function httpRequest(context: StepContext<RequestArgs>): HttpRequest {
  const { input } = context;
  const method = METHODS.find((name) => input[name] !== undefined) ?? 'get';
  const isIdempotent = method === 'put' || method === 'delete' || input.idempotent;
  return {
    name: context.step,
    method: method.toUpperCase(),
    url: input[method] ?? '',
    headers: requestHeaders(input),
    timeoutMs: durationMs(input.timeout),
    ...(input.body !== undefined && { body: input.body }),
    // Idempotency key: equal in every attempt, also if another node repeats the request.
    ...(isIdempotent && { key: `${context.call['id']}:${context.runNumber}` }),
    ...(input.form !== undefined && { body: input.form, isForm: true }),
  };
}

const FAILURES: Readonly<Record<Extract<HttpAnswer, { ok: false }>['reason'], RequestOutcome>> = {
  timeout: 'failed.timeout',
  network: 'failed.network',
  refused: 'failed.network',
  too_large: 'failed.invalid',
  invalid: 'failed.invalid',
};

function outcomeOf(reply: HttpAnswer, returns: RequestArgs['returns']): RequestOutcome {
  if (!reply.ok) return FAILURES[reply.reason];
  if (reply.status === 404) return 'not_found';
  if (reply.status >= 500) return 'failed.5xx';
  if (reply.status >= 300) return 'failed.4xx';
  if (typeof returns === 'object' && compileCheck(returns)(reply.body) !== undefined) return 'failed.invalid';
  return 'ok';
}

const resultOf = (reply: HttpAnswer): JsonObject =>
  reply.ok ? { status: reply.status, body: reply.body } : { message: reply.message };
