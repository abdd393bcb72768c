import { FaultError } from '../../base/core/fault.ts';
import { namedFlow } from '../../language/steps/called-flow.ts';
import { defineStep, namedOutcome } from '../../language/steps/step.ts';
import type { SubflowArgs, SubflowOutcome } from '../../language/steps/verb-types.ts';
import { nextEvent } from '../../language/steps/waiting.ts';

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
