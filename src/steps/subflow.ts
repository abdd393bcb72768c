import { FaultError } from '../core/fault.ts';
import { ANY_FLOW, defineStep, type Written } from './step.ts';
import type { SubflowArgs } from './step-arguments.ts';
import { nextEvent } from './waiting.ts';

export const subflow = defineStep<SubflowArgs>({
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

/** Returns the name of the flow to run, or `ANY_FLOW` if it is a template or inline. */
export function namedFlow({ flow }: Written<Pick<SubflowArgs, 'flow'>>): string[] {
  return [typeof flow === 'string' && !flow.includes('${') ? flow : ANY_FLOW];
}
