/**
 * The verb `for_each`: runs a flow for each item of a list, in order. Each item is a run of a subflow, so that loops
 * can be nested, and a hang-up or an error is handled as in any flow.
 */
import { FaultError } from '../../base/core/fault.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import { mapIn } from '../../language/steps/arguments.ts';
import { namedFlow } from '../../language/steps/called-flow.ts';
import { itemsOf } from '../../language/steps/items.ts';
import { defineStep, namedOutcome } from '../../language/steps/step.ts';
import type { ForEachArgs, ForEachOutcome } from '../../language/steps/verb-types.ts';
import { nextEvent } from '../../language/steps/waiting.ts';

export const step = defineStep<ForEachArgs, ForEachOutcome>({
  verb: 'for_each',
  calls: namedFlow,
  async *run(context) {
    const { flow, list: written, input = {} } = context.input;
    const items = await itemsOf(context, written, '/list', 'a loop over');
    const outputs: Json[] = [];
    if (items.length === 0) return { outcome: 'empty', result: { outputs } };
    let result: JsonObject = { outputs };
    context.keepResult((output = null) => ({ ...result, outputs: output === null ? outputs : [...outputs, output] }));
    for (const [index, item] of items.entries()) {
      result = { outputs, item, index };
      const failure = await context.callFlow(
        flow,
        mapIn(await context.render(input, '/input', undefined, { item, index })),
      );
      if (failure) throw new FaultError(failure);
      const { outcome, output } = yield* nextEvent('returned');
      outputs.push(output);
      if (outcome !== 'done') return { outcome: namedOutcome(outcome), result };
    }
    return { outcome: 'done', result };
  },
});
