import { calledByStep } from '../../language/flow/called-flows.ts';
import { literalOf } from '../../language/flow/routes.ts';
import { typeByOutcome, typeOfSchema } from '../../language/flow/types/type.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  check: (step, _, draft) => calledByStep(step, draft),
  resultOf({ compiled: { args } }, { outcomes, draft }) {
    const { outputs, returns = [] } = draft.options.knownFlows?.get(literalOf(args, 'flow') ?? '') ?? {};
    const returned = outcomes.filter((outcome) => returns.includes(outcome));
    if (outputs === undefined || returned.some((outcome) => !Object.hasOwn(outputs, outcome))) return undefined;
    return typeByOutcome(new Map(returned.map((outcome) => [outcome, typeOfSchema(outputs[outcome])])));
  },
};
