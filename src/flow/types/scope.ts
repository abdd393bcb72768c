/**
 * What the expressions of a flow can see, as a type: variables and inputs by their schemas, results of steps by what the
 * schema of their verb declares (`result`) and, of a `request`, by its `returns`. Neighbour: `infer.ts`.
 */
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { longForm, verbSchemas } from '../../schema/schema-forms.ts';
import type { VariableSpec } from '../compiled-flow.ts';
import type { FlowDraft, StepDraft } from '../flow-draft.ts';
import { ANY, literalType, mapOf, NOTHING, perhaps, surely, TEXT, type Type, typeOfSchema, union } from './type.ts';

/** What is wrong with names of the scope itself is found by `lint-expressions.ts`: here they may be anything. */
const UNJUDGED = 'any';

export interface FlowScope {
  /** For an expression of this step; without a result, outside of what sees one. */
  at(result?: Type): Type;
  /** What a step finds. */
  resultOf(step: StepDraft): Type;
}

export function scopeOf({ flow, steps, options }: FlowDraft): FlowScope {
  const results = new Map([...steps].map(([name, step]) => [name, resultType(step)]));
  const found = new Map([...results].map(([name, type]): [string, Type] => [name, perhaps(type)]));
  const env = new Map((options.env ?? []).map((name): [string, Type] => [name, ANY]));
  const fields = new Map<string, Type>([
    ['vars', mapOf(variables(flow.vars), UNJUDGED)],
    ['input', mapOf(variables(flow.input), UNJUDGED)],
    ['steps', mapOf(found, UNJUDGED)],
    ['call', mapOf(CALL, UNJUDGED)],
    ['env', mapOf(env, UNJUDGED)],
    ['secrets', ANY],
  ]);
  const outside = mapOf(fields, UNJUDGED);
  return {
    at: (result) => (result === undefined ? outside : mapOf(new Map([...fields, ['result', result]]), UNJUDGED)),
    resultOf: ({ compiled }) => results.get(compiled.name) ?? ANY,
  };
}

const CALL: ReadonlyMap<string, Type> = new Map([
  ['id', TEXT],
  ['from', TEXT],
  ['to', TEXT],
  ['direction', union(literalType('inbound'), literalType('outbound'))],
  ['locale', TEXT],
  ['started', TEXT],
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

/** As the schema of the verb says: nothing, where it says nothing. */
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
  if (spec.verb === 'request' && isObject(args['returns'])) {
    fields.set('body', typeOfSchema(args['returns']));
  }
  if (spec.verb === 'collect' || spec.verb === 'menu') asAnswered(fields, args);
  return mapOf(fields, declared.others);
}

/** A question that listens for nothing hears nothing; one for speech alone takes no digits. */
function asAnswered(fields: Map<string, Type>, args: JsonObject): void {
  const { speech, digits, choices } = args;
  const named = isObject(choices) ? Object.entries(choices) : [];
  const has = (key: string) => named.some(([, choice]) => isObject(choice) && choice[key] !== undefined);
  const isHeard = speech !== undefined || has('say');
  const takesKeys = digits !== undefined || has('dtmf') || isSpelled(speech);
  if (named.length > 0) fields.set('choice', named.map(([name]) => literalType(name)).reduce(union));
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
