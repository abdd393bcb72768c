/**
 * Type of the scope of a flow's expressions: variables and inputs from their schemas, results of steps from their
 * verb's schema (`result`) and their arguments (`resultFields` of `verbs/NAME/lint.ts`). `infer.ts` uses it.
 */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';
import { valueAt } from '../../../base/schema/document.ts';
import { longForm, verbSchemas } from '../../../base/schema/schema-forms.ts';
import { lints } from '../../../verbs/lints.ts';
import type { VariableSpec } from '../declared-values.ts';
import { astOf } from '../expression.ts';
import type { FlowDraft, StepDraft } from '../flow-draft.ts';
import type { OutcomeEntry } from '../possible-outcomes.ts';
import { compileTemplate, templateExpressions } from '../template.ts';
import { factsOf } from '../verb-facts.ts';
import { inferType } from './infer.ts';
import { LazyTypes } from './lazy-types.ts';
import {
  ANY,
  type Blank,
  BOOLEAN,
  canBe,
  itemOf,
  KIND,
  lackingAfter,
  literalType,
  mapOf,
  NOTHING,
  NUMBER,
  notNull,
  perhaps,
  surely,
  TEXT,
  type Type,
  typeOfSchema,
  union,
  withGap,
  withoutReasons,
} from './type.ts';

/** Unknown names of the scope itself are reported by `lint-expressions.ts`; here they may have any type. */
const UNJUDGED = 'any';

/** Names that an expression sees in addition to those of the flow. */
export interface OwnNames {
  result?: Type | undefined;
  /** Names of a list item. */
  item?: ReadonlyMap<string, Type> | undefined;
  /** Results of steps, where they are known better than at any point of the flow. */
  steps?: ReadonlyMap<string, Type> | undefined;
}

export interface FlowScope {
  /** Scope of an expression. */
  at(own: OwnNames): Type;
  /** Names of an item of the step's list. */
  itemNames(step: StepDraft): ReadonlyMap<string, Type>;
  /** Type of a step's result, for `set` of the step: after an outcome that is not negative. */
  resultOf(step: StepDraft): Type;
  /** Type of a step's result after one of these outcomes. */
  resultAfter(step: StepDraft, outcomes: readonly string[]): Type;
}

const scopes = new WeakMap<FlowDraft, FlowScope>();

/** Scope of a draft, inferred once, since several checks read it. */
export function scopeOf(draft: FlowDraft): FlowScope {
  const scope = scopes.get(draft) ?? inferScope(draft);
  scopes.set(draft, scope);
  return scope;
}

function inferScope(draft: FlowDraft): FlowScope {
  const { flow, steps, options } = draft;
  const found = new LazyTypes(steps, (name) => perhaps(typeAfter(draft, steps.get(name)!)));
  const env = new Map((options.env ?? []).map((name): [string, Type] => [name, ANY]));
  const fields = new Map<string, Type>([
    ['vars', mapOf(variables(flow.vars), UNJUDGED)],
    ['input', mapOf(variables(flow.input), UNJUDGED)],
    ['steps', mapOf(found, UNJUDGED)],
    ['call', mapOf(CALL, UNJUDGED)],
    ['queue', mapOf(QUEUE, UNJUDGED)],
    ['env', mapOf(env, UNJUDGED)],
    ['secrets', ANY],
  ]);
  const outside = mapOf(fields, UNJUDGED);
  const itemOfList = (step: StepDraft): Type => itemType(step, outside);
  const results = new Map<string, Type>();
  const after = (step: StepDraft, outcomes: readonly string[] = outcomesOf(step)): Type => {
    const key = `${step.compiled.name} ${outcomes.join(' ')}`;
    const type = results.get(key) ?? typeWithItem(step, outcomes);
    results.set(key, type);
    return type;
  };
  const typeWithItem = (step: StepDraft, outcomes: readonly string[]): Type => {
    const type = typeAfter(draft, step, outcomes);
    return step.spec.items === undefined ? type : withItem(type, { step, item: itemOfList(step), outcomes });
  };
  for (const [name, step] of steps) if (step.spec.items !== undefined) found.set(name, perhaps(after(step)));
  // The lists of these steps may contain items of each other.
  results.clear();
  return {
    at({ result, item, steps: known }) {
      if (result === undefined && item === undefined && known === undefined) return outside;
      const names = new Map([...fields, ...(item ?? [])]);
      if (result !== undefined) names.set('result', result);
      if (known !== undefined)
        names.set('steps', mapOf(new LazyTypes(steps, (name) => known.get(name) ?? found.get(name)!), UNJUDGED));
      return mapOf(names, UNJUDGED);
    },
    resultAfter: after,
    itemNames: (step) =>
      new Map([
        ['item', itemOfList(step)],
        ['index', NUMBER],
        ['key', TEXT],
        ['page', NUMBER],
        ['pages', NUMBER],
      ]),
    resultOf: (step) =>
      after(
        step,
        outcomesOf(step).filter((outcome) => !isNegative(step, outcome)),
      ),
  };
}

/** Type of the items of a step's list. */
function itemType({ spec, compiled }: StepDraft, scope: Type): Type {
  const written = isObject(compiled.args) ? valueAt(compiled.args, spec.items!.of) : undefined;
  const [only] = typeof written === 'string' ? templateExpressions(compileTemplate(written)) : [];
  if (only?.whole !== true) return ANY;
  const type = inferType(astOf(only.expression), scope, () => undefined);
  return canBe(type, KIND.list) ? surely(itemOf(type)) : ANY;
}

/** Adds `item` to the result of a menu over a list, where it exists after `chosen`, and of a loop. */
function withItem(
  type: Type,
  { step, item, outcomes }: { step: StepDraft; item: Type; outcomes: readonly string[] },
): Type {
  const { args } = step.compiled;
  const fields = new Map(type.fields);
  if (!isObject(args)) return type;
  if (step.spec.verb === 'for_each') {
    const { gap } = fields.get('item') ?? NOTHING;
    return mapOf(fields.set('item', gap ? withGap(item, gap) : item), type.others);
  }
  const lacking = outcomes.find((outcome) => outcome !== 'chosen');
  for (const [name, known] of [['item', item] as const, ['index', NUMBER] as const]) {
    if (args['each'] === undefined) fields.delete(name);
    else fields.set(name, lacking === undefined ? known : withGap(known, lackingAfter(lacking)));
  }
  return mapOf(fields, type.others);
}

/** Figures of the queue, while the caller waits in it. */
export const QUEUE: ReadonlyMap<string, Type> = new Map([
  ['name', perhaps(TEXT)],
  ['position', perhaps(NUMBER)],
  ['waiting', perhaps(NUMBER)],
  ['estimated_wait', perhaps(NUMBER)],
  ['callback', perhaps(BOOLEAN)],
]);

/** Fields of the call, by name. */
export const CALL: ReadonlyMap<string, Type> = new Map([
  ['id', TEXT],
  ['from', TEXT],
  ['to', TEXT],
  ['direction', union(literalType('inbound'), literalType('outbound'))],
  ['locale', TEXT],
  ['voice', TEXT],
  ['started', TEXT],
  ['headers', ANY],
  [
    'event',
    perhaps(
      mapOf(
        new Map([
          ['name', TEXT],
          ['data', ANY],
        ]),
        'none',
      ),
    ),
  ],
]);

const variables = (specs: Readonly<Record<string, VariableSpec>>): ReadonlyMap<string, Type> =>
  new Map(
    Object.entries(specs).map(([name, spec]): [string, Type] => {
      const type = typeOfSchema(spec.schema);
      return [name, spec.default === undefined ? perhaps(type) : surely(type)];
    }),
  );

const resultTypes = new Map<string, Type>();

/** Result type from the verb's schema; a map without fields if the schema declares no result. */
function declaredResult(verb: string): Type {
  const known = resultTypes.get(verb);
  if (known !== undefined) return known;
  const declared = verbSchemas.get(verb)?.['result'];
  const written = declared === undefined ? mapOf(new Map()) : typeOfSchema(declared);
  // Outcomes decide which fields exist (`gives`), not `required`.
  const fields = written.fields && new Map([...written.fields].map(([name, field]) => [name, withoutReasons(field)]));
  const type = fields ? { ...written, fields } : written;
  resultTypes.set(verb, type);
  return type;
}

/** Outcomes that leave a result, or remove that of an earlier visit. */
export const outcomesOf = ({ spec, routes: { possible } }: StepDraft): readonly string[] =>
  possible.filter((outcome) => outcome !== 'hangup' && (outcome !== 'limit' || outcome in spec.outcomeTable));

const entryOf = ({ spec: { outcomeTable } }: StepDraft, outcome: string): OutcomeEntry | undefined =>
  Object.hasOwn(outcomeTable, outcome)
    ? outcomeTable[outcome]
    : Object.values(outcomeTable).find(({ each }) => each !== undefined);

const isNegative = (step: StepDraft, outcome: string): boolean =>
  outcome === 'error' || entryOf(step, outcome)?.kind !== undefined;

/** Fields that a result has for certain after an outcome; undefined if they are not known. */
const givenAfter = (step: StepDraft, outcome: string): readonly string[] | undefined =>
  outcome === 'error' ? [] : entryOf(step, outcome)?.gives;

/** Type of a step's result after one of these outcomes; default: after any. */
function typeAfter(draft: FlowDraft, step: StepDraft, outcomes = outcomesOf(step)): Type {
  const { spec, compiled } = step;
  const known = lints.get(spec.verb)?.resultOf?.(step, { outcomes, draft });
  if (known !== undefined) return known;
  const declared = declaredResult(spec.verb);
  const args = longForm(spec.verb, compiled.args);
  if (!declared.fields || declared.fields.size === 0 || !isObject(args)) return declared;
  const fields = new Map(declared.fields);
  lints.get(spec.verb)?.resultFields?.(fields, args, { outcomes, draft });
  if (factsOf(spec.verb).inputDefaults) asAnswered(fields, args);
  const given = outcomes.map((outcome) => ({
    outcome,
    names: givenAfter(step, outcome),
    isNegative: isNegative(step, outcome),
  }));
  const isKnown = given.length > 0 && given.every(({ names }) => names !== undefined);
  for (const [name, type] of fields) {
    const isAnswer = !type.mayBeMissing;
    const lacking = given.find((each) => each.names?.includes(name) === false && (each.isNegative || !isAnswer));
    if (lacking !== undefined) fields.set(name, withGap(type, lackingAfter(lacking.outcome)));
    else if (isKnown) fields.set(name, surely(notNull(type)));
  }
  return mapOf(fields, declared.others);
}

/** Removes the fields of inputs that a question does not accept: speech without phrases, digits for speech alone. */
function asAnswered(fields: Map<string, Type>, args: JsonObject): void {
  const { speech, digits, choices, each, phrases } = args;
  const named = isObject(choices) ? Object.entries(choices) : [];
  const has = (key: string) => named.some(([, choice]) => isObject(choice) && choice[key] !== undefined);
  const isHeard = speech !== undefined || has('say') || phrases !== undefined;
  const takesKeys =
    digits !== undefined || has('dtmf') || each !== undefined || isSpelled(speech) || fields.has('spoken');
  const names = [...named.map(([name]) => name), ...(each === undefined ? [] : ['chosen'])];
  if (names.length > 0) fields.set('choice', names.map(literalType).reduce(union));
  const part = (name: string, isThere: boolean, isAlone: boolean, otherwise: Blank) => {
    const type = fields.get(name) ?? NOTHING;
    if (!isThere) fields.delete(name);
    else fields.set(name, isAlone ? surely(type) : withGap(type, otherwise));
  };
  part('digits', takesKeys, !isHeard || isSpelled(speech), BY_SPEECH);
  part('speech', isHeard, !takesKeys, BY_KEYS);
  part('confidence', isHeard, !takesKeys, BY_KEYS);
}

const BY_SPEECH: Blank = { why: 'callers may speak instead', byOutcome: true };
const BY_KEYS: Blank = { why: 'callers may press keys instead', byOutcome: true };
const isSpelled = (speech: Json | undefined): boolean => isObject(speech) && speech['grammar'] === 'digits';
