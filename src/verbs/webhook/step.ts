import { FaultError, fault } from '../../base/core/fault.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { durationMs, list, mapIn } from '../../language/steps/arguments.ts';
import { fetchReply, playMeanwhile, requestHeaders } from '../../language/steps/http-request.ts';
import { ANY_FLOW, defineStep, namedOutcome, type ResultOf } from '../../language/steps/step.ts';
import type { WebhookArgs, WebhookOutcome } from '../../language/steps/verb-types.ts';
import { nextEvent } from '../../language/steps/waiting.ts';

/** Requests the next outcome from the application, which responds with `{outcome, set}`. */
export const step = defineStep<WebhookArgs, WebhookOutcome>({
  verb: 'webhook',
  calls: ({ may }) => (list(may).includes('flow') ? [ANY_FLOW] : []),
  async *run(context) {
    const { input, call, leg } = context;
    const { url = context.eventUrl, outcomes, body = null, may = [] } = input;
    if (!url) throw refusal('no_url', 'the step names no url and the call has no event_url');
    const meanwhileId = await playMeanwhile(context, input.meanwhile);
    const reply = yield* fetchReply(context, {
      name: context.step,
      method: 'POST',
      url,
      headers: requestHeaders(input),
      signed: true,
      timeoutMs: durationMs(input.timeout),
      body: {
        voice_id: call['id']!,
        from: call['from']!,
        to: call['to']!,
        step: context.step,
        outcomes,
        body,
        timestamp: new Date(context.wallMs()).toISOString(),
      },
    });
    if (!reply.ok) {
      if (reply.reason === 'timeout') return { outcome: 'timeout' };
      throw refusal('webhook_failed', reply.message);
    }
    if (reply.status >= 300) throw refusal('webhook_failed', `the webhook answered ${reply.status}`);
    const decision = readAnswer(reply.body, outcomes, may);
    if (!('flow' in decision)) return decision;
    if (meanwhileId !== undefined) leg.stopPlay(meanwhileId);
    const failure = await context.callFlow(decision.flow, decision.input);
    if (failure) throw new FaultError(failure);
    const { output } = yield* nextEvent('returned');
    return { outcome: 'done', result: output };
  },
});

type WebhookDecision = ResultOf<WebhookOutcome> | { flow: string | JsonObject; input: JsonObject };

function readAnswer(body: Json, outcomes: readonly string[], may: readonly string[]): WebhookDecision {
  if (!isObject(body)) throw refusal('webhook_answer', 'the answer is not a JSON object');
  const { flow, goto, outcome = '' } = body;
  const vars = isObject(body['set']) ? { vars: body['set'] } : {};
  if (typeof goto === 'string' && may.includes('goto')) return { outcome: 'goto', goto, result: body, ...vars };
  if (may.includes('flow') && (typeof flow === 'string' || isObject(flow))) {
    return { flow, input: mapIn(body['input']) };
  }
  const chosen = typeof outcome === 'object' ? '' : String(outcome);
  if (outcomes.includes(chosen)) return { outcome: namedOutcome(chosen), result: body, ...vars };
  throw refusal('webhook_answer', `the answer's outcome '${chosen.slice(0, 50)}' is none of ${outcomes.join(', ')}`);
}

const refusal = (code: string, message: string): FaultError =>
  new FaultError(fault(code, message, { retryable: true }));
