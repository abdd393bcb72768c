import { createHash } from 'node:crypto';
import { defineStep, namedOutcome, type StepContext } from '../../language/steps/step.ts';
import type { SplitArgs, SplitOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<SplitArgs, SplitOutcome>({
  verb: 'split',
  async run(context) {
    const arms = Object.entries(context.input.arms);
    const total = arms.reduce((sum, [, weight]) => sum + weight, 0);
    let left = shareOf(context) * total;
    for (const [name, weight] of arms) {
      left -= weight;
      if (left < 0) return { outcome: namedOutcome(name) };
    }
    // All weights are 0.
    return { outcome: namedOutcome(arms[0]![0]) };
  },
});

/** Returns a number in [0, 1). The hash includes the step, so that two steps split the same callers independently. */
function shareOf(context: StepContext<SplitArgs>): number {
  const { input, call, step } = context;
  const { sticky } = input;
  if (sticky === false) return context.random();
  const key = typeof sticky === 'string' ? sticky : String(call['from']);
  return createHash('sha256').update(`${step}\n${key}`).digest().readUIntBE(0, 6) / 2 ** 48;
}
