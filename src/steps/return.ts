import { defineStep } from './step.ts';
import type { ReturnArgs } from './step-arguments.ts';

export const returnStep = defineStep<ReturnArgs>({
  verb: 'return',
  terminal: true,
  async run({ input: { outcome = 'done', output = null } }) {
    return { outcome, result: output, ends: 'flow' };
  },
});
