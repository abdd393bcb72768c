/**
 * Checks of steps over a list: the value must be a list, a menu needs keys for its items, and its prompt must name the
 * key to the next page. Related: `item-keys.ts`, `verbs/menu/items.ts`.
 */
import { quoting } from '../core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { type Issue, keyIssue, valueAt, valueIssue } from '../schema/document.ts';
import { verbSchemas } from '../schema/schema-forms.ts';
import { astOf } from './expression.ts';
import type { ExpressionSite } from './expression-sites.ts';
import type { FlowDraft, StepDraft } from './flow-draft.ts';
import { itemKeys } from './item-keys.ts';
import { hasExpression } from './outcome-conditions.ts';
import { inferType } from './types/infer.ts';
import { scopeOf } from './types/scope.ts';
import { canBe, inWords, KIND } from './types/type.ts';

export function* lintLists(draft: FlowDraft, sites: readonly ExpressionSite[]): Generator<Issue> {
  const ofLists = sites.filter(({ step, argument }) => argument !== undefined && argument === step?.spec.items?.of);
  const scope = ofLists.length === 0 ? undefined : scopeOf(draft);
  for (const { expression, whole, pointer, offset } of ofLists) {
    const type = inferType(astOf(expression), scope!.at(), () => undefined);
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
    if (step.spec.verb === 'menu' && args['each'] !== undefined) yield* menuOfItems(step, args, draft);
  }
}

const isTemplate = (written: Json): boolean => typeof written === 'string' && hasExpression(written);

const notAList = (given: string): Omit<Issue, 'pointer'> => ({
  code: 'not-a-list',
  message: `a list is needed here, and this gives ${given}`,
  hint: 'give a list, such as ${ vars.appointments }',
});

const menuSchema = verbSchemas.get('menu') ?? {};
const defaultOf = (key: string): Json => valueAt(menuSchema, `/properties/${key}/default`) ?? null;

function* menuOfItems({ argsPointer }: StepDraft, args: JsonObject, { flow }: FlowDraft): Generator<Issue> {
  const { per_page: perPage = defaultOf('per_page'), more = defaultOf('more'), each } = args;
  const named = Object.values(isObject(args['choices']) ? args['choices'] : {}).flatMap((choice) =>
    isObject(choice) && typeof choice['dtmf'] === 'string' ? [choice['dtmf']] : [],
  );
  const keys = itemKeys(String(more), named);
  if (typeof perPage === 'number' && perPage > keys.length) {
    const at = args['per_page'] === undefined ? 'each' : 'per_page';
    const message = `a page has ${perPage} items, and ${keys.length} keys are left for them`;
    yield valueIssue('item-keys', `${argsPointer}/${at}`, message, `write per_page: ${keys.length}`);
  }
  if (named.includes(String(more))) {
    const message = quoting`the key ${String(more)} leads to the next page, and is that of a choice`;
    yield valueIssue(
      'item-keys',
      `${argsPointer}/${args['more'] === undefined ? 'choices' : 'more'}`,
      message,
      'choose another key for one of them',
    );
  }
  const isShort = Array.isArray(each) && typeof perPage === 'number' && each.length <= perPage;
  if (args['say_more'] === undefined && !isShort) {
    const message = quoting`callers of a longer list do not learn that ${String(more)} leads to the next page`;
    yield keyIssue('unsaid-more', `${argsPointer}/each`, message, `add say_more: "For more press ${String(more)}."`);
  }
  for (const key of [...keys.slice(0, Number(perPage) || 0), String(more)]) {
    if (!Object.hasOwn(flow.events, `dtmf.${key}`)) continue;
    const message = quoting`here the key ${key} chooses an item or a page, and the event ${`dtmf.${key}`} does not happen`;
    yield keyIssue('event-digit', `${argsPointer}/each`, message, 'choose another key for the event');
    return;
  }
}
