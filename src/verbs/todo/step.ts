import { FaultError, fault } from '../../base/core/fault.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { TodoArgs, TodoOutcome } from '../../language/steps/verb-types.ts';

/** Placeholder in the graph; a flow with a `todo` does not compile (`lint.ts`). */
export const step = defineStep<TodoArgs, TodoOutcome>({
  verb: 'todo',
  async run({ step }) {
    throw new FaultError(fault('todo', `the step ${step} is still to be written`));
  },
});
