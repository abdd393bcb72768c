import { defineStep } from '../../language/steps/step.ts';
import type { NotifyArgs, NotifyOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<NotifyArgs, NotifyOutcome>({
  verb: 'notify',
  async run(context) {
    const { event, body = null } = context.input;
    context.notify(event, body);
    return { outcome: 'done' };
  },
});
