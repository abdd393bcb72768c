import { FaultError } from '../core/fault.ts';
import { defineStep } from './step.ts';
import type { ContinueArgs } from './step-arguments.ts';
import { namedFlow } from './subflow.ts';

export const continueStep = defineStep<ContinueArgs>({
  verb: 'continue',
  terminal: true,
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
