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

/** How the step is left, and with it those in which outer flows waited. */
const CONTINUED = 'continued';
