import { isObject } from './arguments.ts';
import { defineStep } from './step.ts';

export const set = defineStep({
  verb: 'set',
  outcomes: () => ['done'],
  success: 'done',
  async run({ input }) {
    return { outcome: 'done', vars: isObject(input) ? input : {} };
  },
});
