import { isObject } from '../core/json.ts';
import { text } from './arguments.ts';
import { defineStep } from './step.ts';

export const notify = defineStep({
  verb: 'notify',
  outcomes: () => ['done'],
  success: 'done',
  async run(context) {
    const { input } = context;
    const args = isObject(input) ? input : { event: input };
    context.notify(text(args['event']), args['body'] ?? null);
    return { outcome: 'done' };
  },
});
