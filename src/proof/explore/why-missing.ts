/** Explains why no call reached an outcome, so that an untried outcome is not taken for an impossible one. */
import { isObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { actionsByVerb } from '../../verbs/actions.ts';
import { stepsWithoutErrors } from '../testkit/coverage.ts';

export function whyMissing(
  { step, outcome }: { step: string; outcome: string },
  flow: CompiledFlow,
  isBounded: boolean,
): string {
  const { verb, args } = flow.steps.get(step)!;
  const known = actionsByVerb[verb]?.notTried?.[outcome];
  if (known !== undefined) return known;
  const hasSchema = isObject(args) && args['returns'] !== undefined;
  if (verb === 'request' && outcome === 'failed.invalid' && !hasSchema)
    return 'no schema (returns) that an answer could fail';
  if (!stepsWithoutErrors(flow).has(step)) return 'only an error leads there, which no caller can cause';
  return isBounded ? 'not everything was tried' : 'no call that was tried came there';
}
