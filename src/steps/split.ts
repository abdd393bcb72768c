import { createHash } from 'node:crypto';
import { isObject, type Json } from '../core/json.ts';
import { count, text } from './arguments.ts';
import { defineStep, type StepContext } from './step.ts';

export const split = defineStep({
  verb: 'split',
  outcomes: (args) => armsOf(args).map(({ name }) => name),
  async run(context) {
    const arms = armsOf(context.input);
    const whole = arms.reduce((sum, { weight }) => sum + weight, 0);
    let left = shareOf(context) * whole;
    for (const { name, weight } of arms) {
      left -= weight;
      if (left < 0) return { outcome: name };
    }
    // All weigh nothing.
    return { outcome: arms[0]!.name };
  },
});

function armsOf(args: Json): { name: string; weight: number }[] {
  const arms = isObject(args) && isObject(args['arms']) ? args['arms'] : {};
  return Object.entries(arms).map(([name, weight]) => ({ name, weight: Math.max(0, count(weight, 0)) }));
}

/** In [0, 1). Two steps that split the same callers split them independently. */
function shareOf(context: StepContext): number {
  const { input, call, step } = context;
  const sticky = isObject(input) ? input['sticky'] : undefined;
  if (sticky === false) return context.random();
  const key = typeof sticky === 'string' ? sticky : text(call['from']);
  return createHash('sha256').update(`${step}\n${key}`).digest().readUIntBE(0, 6) / 2 ** 48;
}
