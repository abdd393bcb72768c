import { FaultError, fault } from '../core/fault.ts';
import type { HttpAnswer, HttpRequest } from '../core/http-exchange.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { compileCheck } from '../schema/compile-check.ts';
import { durationMs } from './arguments.ts';
import { defineStep, type StepContext, type Waiting } from './step.ts';
import type { RequestArgs } from './step-arguments.ts';
import { delay, nextEvent } from './waiting.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export const request = defineStep<RequestArgs>({
  verb: 'request',
  prompts: ['/meanwhile'],
  lazy: ['returns'],
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

/** Loops a prompt during a request, until it is stopped or the step is left. Returns its play id. */
export async function playMeanwhile(context: StepContext, prompt: Json | undefined): Promise<string | undefined> {
  if (prompt === undefined || context.leg.state !== 'connected') return undefined;
  return context.leg.play(await context.prompt(prompt), { repeat: true });
}

/** Sends the request and waits for its response. */
export async function* fetchReply(context: StepContext, sent: HttpRequest): Waiting<HttpAnswer> {
  const requestId = context.http(sent);
  const { reply } = yield* nextEvent('http', (event) => event.requestId === requestId);
  if (!reply.ok && reply.reason === 'unknown') throw new FaultError(fault('unknown', reply.message));
  return reply;
}

/** Returns the HTTP headers, with `authorization` made from `auth`. */
export function requestHeaders({ headers, auth = {} }: Pick<RequestArgs, 'headers' | 'auth'>): Record<string, string> {
  const { bearer, basic } = auth;
  const credentials = basic && Buffer.from(`${basic.username}:${basic.password}`).toString('base64');
  return {
    ...headers,
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(credentials && { authorization: `Basic ${credentials}` }),
  };
}

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

const FAILURES: Readonly<Record<Extract<HttpAnswer, { ok: false }>['reason'], string>> = {
  timeout: 'failed.timeout',
  network: 'failed.network',
  refused: 'failed.network',
  too_large: 'failed.invalid',
  invalid: 'failed.invalid',
};

function outcomeOf(reply: HttpAnswer, returns: RequestArgs['returns']): string {
  if (!reply.ok) return FAILURES[reply.reason];
  if (reply.status === 404) return 'not_found';
  if (reply.status >= 500) return 'failed.5xx';
  if (reply.status >= 300) return 'failed.4xx';
  if (typeof returns === 'object' && compileCheck(returns)(reply.body) !== undefined) return 'failed.invalid';
  return 'ok';
}

const resultOf = (reply: HttpAnswer): JsonObject =>
  reply.ok ? { status: reply.status, body: reply.body } : { message: reply.message };
