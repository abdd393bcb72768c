import { isObject } from '../core/json.ts';
import { defineStep } from './step.ts';

export const set = defineStep({
  verb: 'set',
  outcomes: () => ['done'],
  success: 'done',
  async run({ input, args }) {
    const found = isObject(input) ? input : {};
    // An expression that finds nothing leaves its key out; the variable is told, as it is beside other verbs.
    const names = Object.keys(isObject(args) ? args : found);
    return { outcome: 'done', vars: Object.fromEntries(names.map((name) => [name, found[name] ?? null])) };
  },
});
