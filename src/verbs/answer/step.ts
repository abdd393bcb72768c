import { ensureAnswered } from '../../language/steps/playback.ts';
import { sendableHeaders } from '../../language/steps/sip-headers.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { AnswerArgs, AnswerOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<AnswerArgs, AnswerOutcome>({
  verb: 'answer',
  async *run(context) {
    yield* ensureAnswered(context, sendableHeaders(context, context.input.headers));
    return { outcome: 'connected' };
  },
});
