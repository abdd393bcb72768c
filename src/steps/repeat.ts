import { defineStep } from './step.ts';
import type { RepeatArgs } from './step-arguments.ts';

export const repeat = defineStep<RepeatArgs>({
  verb: 'repeat',
  outcomes: () => ['done', 'limit'],
  inlineExits: ({ do: step }): Record<string, string> => (typeof step === 'string' ? { done: step } : {}),
  async run({ input: { times }, count: round }) {
    return { outcome: round > times ? 'limit' : 'done', result: { round } };
  },
});
