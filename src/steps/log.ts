import { defineStep } from './step.ts';
import type { LogArgs } from './step-arguments.ts';

export const log = defineStep<LogArgs>({
  verb: 'log',
  async run(context) {
    const { level, message, fields = {} } = context.input;
    context.log(level, message, fields);
    return { outcome: 'done' };
  },
});
