import { defineStep } from '../../steps/step.ts';
import type { LogArgs } from '../../steps/step-arguments.ts';

export const step = defineStep<LogArgs>({
  verb: 'log',
  async run(context) {
    const { level, message, fields = {} } = context.input;
    context.log(level, message, fields);
    return { outcome: 'done' };
  },
});
