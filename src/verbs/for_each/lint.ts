import { calledByStep } from '../../language/flow/called-flows.ts';
import { literalOf } from '../../language/flow/routes.ts';
import { listOf, surely, typeOfSchema, union } from '../../language/flow/types/type.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  check: (step, _, draft) => calledByStep(step, draft),
  resultFields(fields, args, { draft }) {
    const outputs = Object.values(draft.options.knownFlows?.get(literalOf(args, 'flow') ?? '')?.outputs ?? {});
    if (outputs.length > 0)
      fields.set('outputs', listOf(surely(outputs.map((output) => typeOfSchema(output)).reduce(union))));
  },
};
