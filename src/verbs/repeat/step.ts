import { defineStep } from '../../language/steps/step.ts';
import type { RepeatArgs, RepeatOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<RepeatArgs, RepeatOutcome>({
  verb: 'repeat',
  async run({ input: { times }, count: round }) {
    return { outcome: round > times ? 'limit' : 'done', result: { round } };
  },
});
