import { fault } from '../core/fault.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { durationMs, list, text } from './arguments.ts';
import { fetchReply, playMeanwhile, requestHeaders } from './request.ts';
import type { StepResult } from './step.ts';
import { ANY_FLOW, defineStep } from './step.ts';
import { nextEvent } from './waiting.ts';

/** Asks the application what to do next: it answers `{outcome, set}`. */
export const webhook = defineStep({
  verb: 'webhook',
  outcomes: (args: Json) => [
    ...(isObject(args) ? list(args['outcomes']).map(String) : []),
    ...(isObject(args) && list(args['may']).includes('flow') ? ['done'] : []),
    'timeout',
    'error',
  ],
  waits: true,
  calls: (args) => (isObject(args) && list(args['may']).includes('flow') ? [ANY_FLOW] : []),
  prompts: ['/meanwhile'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const url = text(args['url'], context.eventUrl);
    if (url === '') return failedWith('no_url', 'the step names no url and the call has no event_url');
    const meanwhileId = await playMeanwhile(context, args['meanwhile']);
    const reply = yield* fetchReply(context, {
      name: context.step,
      method: 'POST',
      url,
      headers: requestHeaders(args),
      signed: true,
      timeoutMs: durationMs(args['timeout'], 5_000),
      body: {
        voice_id: context.call['id']!,
        from: context.call['from']!,
        to: context.call['to']!,
        step: context.step,
        outcomes: list(args['outcomes']),
        body: args['body'] ?? null,
        timestamp: new Date(context.wallMs()).toISOString(),
      },
    });
    if (!reply.ok)
      return reply.reason === 'timeout' ? { outcome: 'timeout' } : failedWith('webhook_failed', reply.message);
    if (reply.status >= 300) return failedWith('webhook_failed', `the webhook answered ${reply.status}`);
    const decision = readAnswer(reply.body, list(args['outcomes']).map(String), list(args['may']).map(String));
    if (!('flow' in decision)) return decision;
    if (meanwhileId !== undefined) context.leg.stopPlay(meanwhileId);
    const failure = await context.callFlow(decision.flow, decision.input);
    if (failure) return { outcome: 'error', fault: failure };
    const { output } = yield* nextEvent('returned');
    return { outcome: 'done', result: output };
  },
});

type WebhookDecision = StepResult | { flow: string | JsonObject; input: JsonObject };

function readAnswer(body: Json, outcomes: string[], may: string[]): WebhookDecision {
  if (!isObject(body)) return failedWith('webhook_answer', 'the answer is no JSON object');
  const vars = isObject(body['set']) ? { vars: body['set'] } : {};
  if (typeof body['goto'] === 'string' && may.includes('goto')) {
    return { outcome: 'goto', goto: body['goto'], result: body, ...vars };
  }
  const { flow } = body;
  if (may.includes('flow') && (typeof flow === 'string' || isObject(flow))) {
    return { flow, input: isObject(body['input']) ? body['input'] : {} };
  }
  const outcome = text(body['outcome']);
  if (!outcomes.includes(outcome)) {
    return failedWith(
      'webhook_answer',
      `the answer's outcome '${outcome.slice(0, 50)}' is none of ${outcomes.join(', ')}`,
    );
  }
  return { outcome, result: body, ...vars };
}

function failedWith(code: string, message: string): StepResult {
  return { outcome: 'error', fault: fault(code, message, { retryable: true }) };
}
