import type { HttpAnswer } from '../../base/core/http-exchange.ts';
import type { JsonObject } from '../../base/core/json.ts';
import { durationMs } from '../../language/steps/arguments.ts';
import { fetchReply, playMeanwhile } from '../../language/steps/http-request.ts';
import { outcomeOf, requestOf } from '../../language/steps/request-exchange.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { RequestArgs, RequestOutcome } from '../../language/steps/verb-types.ts';
import { delay } from '../../language/steps/waiting.ts';

export const step = defineStep<RequestArgs, RequestOutcome>({
  verb: 'request',
  async *run(context) {
    const { input } = context;
    const { retry, meanwhile, returns } = input;
    await playMeanwhile(context, meanwhile);
    for (let attempt = 0; ; attempt++) {
      const request = requestOf(input, { step: context.step, key: `${context.call['id']}:${context.runNumber}` });
      const reply = yield* fetchReply(context, request);
      const outcome = outcomeOf(reply, returns);
      const kind = outcome.split('.')[1];
      if (!retry || attempt >= retry.times || !(retry.when as readonly (string | undefined)[]).includes(kind)) {
        return { outcome, result: resultOf(reply) };
      }
      yield* delay(context, durationMs(retry.backoff) * 2 ** attempt);
    }
  },
});

const resultOf = (reply: HttpAnswer): JsonObject =>
  reply.ok ? { status: reply.status, body: reply.body } : { message: reply.message };
