import { defineStep } from '../../language/steps/step.ts';
import type { ReturnArgs, ReturnOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<ReturnArgs, ReturnOutcome>({
  verb: 'return',
  async run({ input: { outcome = 'done', output = null } }) {
    return { outcome, result: output, ends: 'flow' };
  },
});
