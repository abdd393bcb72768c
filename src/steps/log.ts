import { isObject } from '../core/json.ts';
import { longForm, text } from './arguments.ts';
import { defineStep } from './step.ts';

export const log = defineStep({
  verb: 'log',
  outcomes: () => ['done'],
  success: 'done',
  async run(context) {
    const args = longForm(context.input, 'message');
    const level = args['level'] === 'warn' || args['level'] === 'error' ? args['level'] : 'info';
    context.log(level, text(args['message']), isObject(args['fields']) ? args['fields'] : {});
    return { outcome: 'done' };
  },
});
