import { defineStep } from '../../steps/step.ts';
import type { RepeatArgs } from '../../steps/step-arguments.ts';

export const step = defineStep<RepeatArgs>({
  verb: 'repeat',
  async run({ input: { times }, count: round }) {
    return { outcome: round > times ? 'limit' : 'done', result: { round } };
  },
});
