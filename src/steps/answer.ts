import { ensureAnswered } from './playback.ts';
import { sendableHeaders } from './sip-headers.ts';
import { defineStep } from './step.ts';
import type { AnswerArgs } from './step-arguments.ts';

export const answer = defineStep<AnswerArgs>({
  verb: 'answer',
  needsCall: true,
  async *run(context) {
    yield* ensureAnswered(context, sendableHeaders(context, context.input.headers));
    return { outcome: 'connected' };
  },
});
