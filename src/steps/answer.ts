import { ensureAnswered } from './playback.ts';
import { defineStep } from './step.ts';

export const answer = defineStep({
  verb: 'answer',
  outcomes: () => ['connected'],
  success: 'connected',
  needsCall: true,
  async *run(context) {
    yield* ensureAnswered(context);
    return { outcome: 'connected' };
  },
});
