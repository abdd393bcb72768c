/** Checks of steps over a list: the value must be a list. */
import { isObject, type Json } from '../../base/core/json.ts';
import { type Issue, valueAt } from '../../base/schema/document.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import type { FlowDraft } from './flow-draft.ts';
import { hasExpression } from './outcome-conditions.ts';
import { inferType } from './types/infer.ts';
import { scopeOf } from './types/scope.ts';
import { canBe, inWords, KIND } from './types/type.ts';

export function* lintLists(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  const ofLists = sites.filter(({ step, argument }) => argument !== undefined && argument === step?.spec.items?.of);
  const scope = ofLists.length === 0 ? undefined : scopeOf(draft);
  for (const { expression, whole, pointer, offset } of ofLists) {
    const type = inferType(astOf(expression), scope!.at({}), () => undefined);
    if (whole && (type.kinds === 0 || canBe(type, KIND.list))) continue;
    yield { ...notAList(whole ? inWords(type) : 'a text'), pointer, offset };
  }
  for (const step of draft.steps.values()) {
    const { args } = step.compiled;
    if (step.spec.items === undefined || !isObject(args)) continue;
    const written = valueAt(args, step.spec.items.of);
    if (written !== undefined && !Array.isArray(written) && !isTemplate(written)) {
      yield {
        ...notAList(typeof written === 'string' ? 'a text' : 'no list'),
        pointer: step.argsPointer + step.spec.items.of,
      };
    }
  }
}

const isTemplate = (written: Json): boolean => typeof written === 'string' && hasExpression(written);

const notAList = (given: string): Omit<Issue, 'pointer'> => ({
  code: 'not-a-list',
  message: `a list is needed here, and this gives ${given}`,
  hint: 'give a list, such as ${ vars.appointments }',
});
