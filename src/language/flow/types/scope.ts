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
import { compileTemplate, templateExpressions } from '../template.ts';
import { factsOf } from '../verb-facts.ts';
import { inferType } from './infer.ts';
import {
  ANY,
  BOOLEAN,
  canBe,
  itemOf,
  KIND,
  literalType,
  mapOf,
  NOTHING,
  NUMBER,
  perhaps,
  surely,
  TEXT,
  type Type,
  typeOfSchema,
  union,
} from './type.ts';

/** Unknown names of the scope itself are reported by `lint-expressions.ts`; here they may have any type. */
const UNJUDGED = 'any';

export interface FlowScope {
  /** Scope of an expression, with `result` if the expression sees one. `names`: names of a list item. */
  at(result?: Type, names?: ReadonlyMap<string, Type>): Type;
  /** Names of an item of the step's list. */
  itemNames(step: StepDraft): ReadonlyMap<string, Type>;
  /** Type of a step's result. */
  resultOf(step: StepDraft): Type;
}

const scopes = new WeakMap<FlowDraft, FlowScope>();

/** Scope of a draft, inferred once, since several checks read it. */
export function scopeOf(draft: FlowDraft): FlowScope {
  const scope = scopes.get(draft) ?? inferScope(draft);
  scopes.set(draft, scope);
  return scope;
}

function inferScope({ flow, steps, options }: FlowDraft): FlowScope {
  const results = new Map([...steps].map(([name, step]) => [name, resultType(step)]));
  const found = new Map([...results].map(([name, type]): [string, Type] => [name, perhaps(type)]));
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
  for (const [name, step] of steps) {
    if (step.spec.items === undefined) continue;
    const type = withItem(results.get(name)!, step, itemOfList(step));
    results.set(name, type);
    found.set(name, perhaps(type));
  }
  return {
    at: (result, names = new Map()) =>
      result === undefined && names.size === 0
        ? outside
        : mapOf(new Map([...fields, ...names, ...(result ? [['result', result] as const] : [])]), UNJUDGED),
    itemNames: (step) =>
      new Map([
        ['item', itemOfList(step)],
        ['index', NUMBER],
        ['key', TEXT],
        ['page', NUMBER],
        ['pages', NUMBER],
      ]),
    resultOf: ({ compiled }) => results.get(compiled.name) ?? ANY,
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

/**
 * Adds `item` to the result of a menu over a list, certain if it has no named choices, and of a loop, possible because
 * it may end early.
 */
function withItem(type: Type, { spec, compiled }: StepDraft, item: Type): Type {
  const { args } = compiled;
  const fields = new Map(type.fields);
  if (!isObject(args)) return type;
  if (spec.verb === 'for_each') return mapOf(fields.set('item', perhaps(item)), type.others);
  const isThere = args['each'] !== undefined;
  const isSure = isThere && args['choices'] === undefined;
  for (const [name, known] of [['item', item] as const, ['index', NUMBER] as const]) {
    if (isThere) fields.set(name, isSure ? known : perhaps(known));
    else fields.delete(name);
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
  const type = declared === undefined ? mapOf(new Map()) : typeOfSchema(declared);
  resultTypes.set(verb, type);
  return type;
}

function resultType({ spec, compiled }: StepDraft): Type {
  const declared = declaredResult(spec.verb);
  const args = longForm(spec.verb, compiled.args);
  if (!declared.fields || !isObject(args)) return declared;
  const fields = new Map(declared.fields);
  lints.get(spec.verb)?.resultFields?.(fields, args);
  if (factsOf(spec.verb).inputDefaults) asAnswered(fields, args);
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
  const part = (name: string, isThere: boolean, isAlone: boolean) => {
    const type = fields.get(name) ?? NOTHING;
    if (!isThere) fields.delete(name);
    else fields.set(name, isAlone ? surely(type) : perhaps(type));
  };
  part('digits', takesKeys, !isHeard || isSpelled(speech));
  part('speech', isHeard, !takesKeys);
  part('confidence', isHeard, !takesKeys);
}

const isSpelled = (speech: Json | undefined): boolean => isObject(speech) && speech['grammar'] === 'digits';
