import { defineStep } from './step.ts';
import type { NotifyArgs } from './step-arguments.ts';

export const notify = defineStep<NotifyArgs>({
  verb: 'notify',
  async run(context) {
    const { event, body = null } = context.input;
    context.notify(event, body);
    return { outcome: 'done' };
  },
});
