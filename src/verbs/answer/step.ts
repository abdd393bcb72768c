import { ensureAnswered } from '../../steps/playback.ts';
import { sendableHeaders } from '../../steps/sip-headers.ts';
import { defineStep } from '../../steps/step.ts';
import type { AnswerArgs, AnswerOutcome } from '../../steps/verb-types.ts';

export const step = defineStep<AnswerArgs, AnswerOutcome>({
  verb: 'answer',
  async *run(context) {
    yield* ensureAnswered(context, sendableHeaders(context, context.input.headers));
    return { outcome: 'connected' };
  },
});
