import { FaultError } from '../../core/fault.ts';
import { namedFlow } from '../../steps/called-flow.ts';
import { defineStep } from '../../steps/step.ts';
import type { SubflowArgs } from '../../steps/step-arguments.ts';
import { nextEvent } from '../../steps/waiting.ts';

export const step = defineStep<SubflowArgs>({
  verb: 'subflow',
  calls: namedFlow,
  async *run(context) {
    const { flow, input = {} } = context.input;
    const failure = await context.callFlow(flow, input);
    if (failure) throw new FaultError(failure);
    const { outcome, output } = yield* nextEvent('returned');
    return { outcome, result: output };
  },
});
