import { FaultError } from '../core/fault.ts';
import { defineStep } from './step.ts';
import type { DoNotCallArgs } from './step-arguments.ts';

export const doNotCall = defineStep<DoNotCallArgs>({
  verb: 'do_not_call',
  async run(context) {
    const { input, call, leg } = context;
    const number = input.number ?? String(leg.direction === 'outbound' ? call['to'] : call['from']);
    const fault = context.doNotCall(number);
    if (fault) throw new FaultError(fault);
    return { outcome: 'done', result: { number } };
  },
});
