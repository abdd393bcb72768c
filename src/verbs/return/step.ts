import { defineStep } from '../../steps/step.ts';
import type { ReturnArgs } from '../../steps/step-arguments.ts';

export const step = defineStep<ReturnArgs>({
  verb: 'return',
  terminal: true,
  async run({ input: { outcome = 'done', output = null } }) {
    return { outcome, result: output, ends: 'flow' };
  },
});
