import { FaultError, fault } from '../core/fault.ts';
import { defineStep } from './step.ts';
import type { TodoArgs } from './step-arguments.ts';

/** Placeholder in the graph; a flow with a `todo` does not compile (`flow/lint-steps.ts`). */
export const todo = defineStep<TodoArgs>({
  verb: 'todo',
  async run({ step }) {
    throw new FaultError(fault('todo', `the step ${step} is still to be written`));
  },
});
