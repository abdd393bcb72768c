import { FaultError } from '../../base/core/fault.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { DoNotCallArgs, DoNotCallOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<DoNotCallArgs, DoNotCallOutcome>({
  verb: 'do_not_call',
  async run(context) {
    const { input, call, leg } = context;
    const number = input.number ?? String(leg.direction === 'outbound' ? call['to'] : call['from']);
    const fault = context.doNotCall(number);
    if (fault) throw new FaultError(fault);
    return { outcome: 'done', result: { number } };
  },
});
