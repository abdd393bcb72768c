import { FaultError } from '../../core/fault.ts';
import { namedFlow } from '../../steps/called-flow.ts';
import { defineStep, namedOutcome } from '../../steps/step.ts';
import type { SubflowArgs, SubflowOutcome } from '../../steps/verb-types.ts';
import { nextEvent } from '../../steps/waiting.ts';

export const step = defineStep<SubflowArgs, SubflowOutcome>({
  verb: 'subflow',
  calls: namedFlow,
  async *run(context) {
    const { flow, input = {} } = context.input;
    const failure = await context.callFlow(flow, input);
    if (failure) throw new FaultError(failure);
    const { outcome, output } = yield* nextEvent('returned');
    return { outcome: namedOutcome(outcome), result: output };
  },
});
