import { longForm, text } from './arguments.ts';
import { defineStep } from './step.ts';

export const returnStep = defineStep({
  verb: 'return',
  outcomes: () => [],
  terminal: true,
  async run({ input }) {
    const args = longForm(input, 'outcome');
    return { outcome: text(args['outcome'], 'done'), result: args['output'] ?? null, ends: 'flow' };
  },
});
