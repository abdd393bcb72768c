import { defineStep } from './step.ts';
import type { RepeatArgs } from './step-arguments.ts';

export const repeat = defineStep<RepeatArgs>({
  verb: 'repeat',
  async run({ input: { times }, count: round }) {
    return { outcome: round > times ? 'limit' : 'done', result: { round } };
  },
});
