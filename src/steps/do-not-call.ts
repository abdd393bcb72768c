import { isObject } from '../core/json.ts';
import { text } from './arguments.ts';
import { defineStep } from './step.ts';

export const doNotCall = defineStep({
  verb: 'do_not_call',
  outcomes: () => ['done', 'error'],
  success: 'done',
  async run(context) {
    const { input, call, leg } = context;
    const farEnd = text(leg.direction === 'outbound' ? call['to'] : call['from']);
    const number = isObject(input) ? text(input['number'], farEnd) : farEnd;
    const fault = context.doNotCall(number);
    return fault ? { outcome: 'error', fault } : { outcome: 'done', result: { number } };
  },
});
