import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { compileCheck } from '../schema/validate.ts';
import { count, durationMs, list, text } from './arguments.ts';
import type { HttpReply, HttpRequest, StepContext, StepEvent, Wait } from './step.ts';
import { defineStep } from './step.ts';
import { delay, nextEvent } from './waiting.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export const request = defineStep({
  verb: 'request',
  outcomes: () => ['ok', 'not_found', 'failed.timeout', 'failed.network', 'failed.4xx', 'failed.5xx', 'failed.invalid'],
  success: 'ok',
  negativeOutcomes: ['not_found', 'failed'],
  waits: true,
  prompts: ['/meanwhile'],
  lazy: ['returns'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const retry = isObject(args['retry']) ? args['retry'] : {};
    const times = count(retry['times'], 0);
    const kinds = list(retry['when'] ?? ['timeout', 'network', '5xx']).map(String);
    await playMeanwhile(context, args['meanwhile']);
    for (let attempt = 0; ; attempt++) {
      const reply = yield* fetchReply(context, httpRequest(context, args));
      const outcome = outcomeOf(reply, args['returns']);
      const kind = outcome.split('.')[1];
      if (kind === undefined || attempt >= times || !kinds.includes(kind)) {
        return { outcome, result: resultOf(reply) };
      }
      yield* delay(context, durationMs(retry['backoff'], 500) * 2 ** attempt);
    }
  },
});

/** No dead air while we wait: loops the prompt until it is stopped or the step is left. Returns its play id. */
export async function playMeanwhile(context: StepContext, prompt: Json | undefined): Promise<string | undefined> {
  if (prompt === undefined || context.leg.state !== 'connected') return undefined;
  return context.leg.play(await context.prompt(prompt), { repeat: true });
}

/** Sends the request and waits for its answer. */
export async function* fetchReply(context: StepContext, sent: HttpRequest): AsyncGenerator<Wait, HttpReply, StepEvent> {
  const requestId = context.http(sent);
  const { reply } = yield* nextEvent('http', (event) => event.requestId === requestId);
  return reply;
}

/** `headers` and `auth`, as they are sent. */
export function requestHeaders(args: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(isObject(args['headers']) ? args['headers'] : {}))
    headers[name] = text(value);
  const auth = isObject(args['auth']) ? args['auth'] : {};
  if (auth['bearer'] !== undefined) headers['authorization'] = `Bearer ${text(auth['bearer'])}`;
  if (isObject(auth['basic'])) {
    const { username, password } = auth['basic'];
    headers['authorization'] = `Basic ${Buffer.from(`${text(username)}:${text(password)}`).toString('base64')}`;
  }
  return headers;
}

function httpRequest(context: StepContext, args: JsonObject): HttpRequest {
  const method = METHODS.find((name) => args[name] !== undefined) ?? 'get';
  return {
    name: context.step,
    method: method.toUpperCase(),
    url: text(args[method]),
    headers: requestHeaders(args),
    timeoutMs: durationMs(args['timeout'], 5_000),
    ...(args['body'] === undefined ? {} : { body: args['body'] }),
  };
}

function outcomeOf(reply: HttpReply, returns: Json | undefined): string {
  if (!reply.ok)
    return reply.reason === 'timeout'
      ? 'failed.timeout'
      : reply.reason === 'network' || reply.reason === 'refused'
        ? 'failed.network'
        : 'failed.invalid';
  if (reply.status === 404) return 'not_found';
  if (reply.status >= 500) return 'failed.5xx';
  if (reply.status >= 300) return 'failed.4xx';
  if (isObject(returns) && compileCheck(returns)(reply.body) !== undefined) return 'failed.invalid';
  return 'ok';
}

function resultOf(reply: HttpReply): JsonObject {
  return reply.ok ? { status: reply.status, body: reply.body } : { message: reply.message };
}
