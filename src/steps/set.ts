import type { JsonObject } from '../core/json.ts';
import { mapIn } from './arguments.ts';
import { defineStep } from './step.ts';

export const set = defineStep<JsonObject>({
  verb: 'set',
  async run({ input, args }) {
    // An expression that finds nothing leaves its key out; the variable is set to null, as it is beside other verbs.
    const names = Object.keys({ ...mapIn(args), ...input });
    return { outcome: 'done', vars: Object.fromEntries(names.map((name) => [name, input[name] ?? null])) };
  },
});
