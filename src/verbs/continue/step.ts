import { FaultError } from '../../base/core/fault.ts';
import { namedFlow } from '../../language/steps/called-flow.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { ContinueArgs, ContinueOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<ContinueArgs, ContinueOutcome>({
  verb: 'continue',
  calls: namedFlow,
  async run(context) {
    const { flow, input = {} } = context.input;
    const failure = await context.continueWith(flow, input);
    if (failure) throw new FaultError(failure);
    return { outcome: CONTINUED, ends: 'flows' };
  },
});

/** Outcome of this step and of the waiting steps of the enclosing flows. */
const CONTINUED = 'continued';
