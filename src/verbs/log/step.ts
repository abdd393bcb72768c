import { defineStep } from '../../language/steps/step.ts';
import type { LogArgs, LogOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<LogArgs, LogOutcome>({
  verb: 'log',
  async run(context) {
    const { level, message, fields = {} } = context.input;
    context.log(level, message, fields);
    return { outcome: 'done' };
  },
});
