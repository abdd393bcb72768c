import type { JsonObject } from '../../base/core/json.ts';
import { mapIn } from '../../language/steps/arguments.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { SetOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<JsonObject, SetOutcome>({
  verb: 'set',
  async run({ input, args }) {
    // `input` lacks the keys of expressions without a result: their variables are set to null, as with other verbs.
    const names = Object.keys({ ...mapIn(args), ...input });
    return { outcome: 'done', vars: Object.fromEntries(names.map((name) => [name, input[name] ?? null])) };
  },
});
