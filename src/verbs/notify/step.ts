import { defineStep } from '../../steps/step.ts';
import type { NotifyArgs } from '../../steps/step-arguments.ts';

export const step = defineStep<NotifyArgs>({
  verb: 'notify',
  async run(context) {
    const { event, body = null } = context.input;
    context.notify(event, body);
    return { outcome: 'done' };
  },
});
