/**
 * Checks the shape of a flow: each mistake gives one message in the terms of the language. The verb of a step is found
 * first, then its arguments are checked against the schema of that verb alone.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import {
  childPointer,
  type Issue,
  keyIssue,
  type SourceDocument,
  valueAt,
  valueIssue,
} from '../../base/schema/document.ts';
import { flowSchema, schemaInForm, stepSchema, verbSchemas } from '../../base/schema/schema-forms.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import { checkShape } from '../../base/schema/validate.ts';
import type { VerbSpec } from './compiled-flow.ts';

/** Keys of `defaults.input` that apply to a verb; empty if none do. */
export function inputDefaultsOf(verb: string): readonly string[] {
  const schema = verbSchemas.get(verb);
  return schema?.['inputDefaults'] === true ? Object.keys(schema['properties'] as JsonObject) : [];
}

/** Keys that a step may have besides its verb. */
const commonKeys: readonly string[] = Object.keys(stepSchema['properties'] as JsonObject);

/** Names of verbs and keys in other systems. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  [...verbSchemas, ...Object.entries(stepSchema['properties'] as Record<string, JsonObject>)].flatMap(
    ([name, { everyday = [] }]) => (everyday as string[]).map((other): [string, string] => [other, name]),
  ),
);

/** Checks everything except the arguments of verbs. */
export function checkFlowShape(document: SourceDocument): Issue[] {
  if (!isObject(document.value)) {
    return [valueIssue('wrong-type', '', 'a flow is a map', 'it starts with  flow: a-name')];
  }
  return checkShape('flow', () => schemaInForm(flowSchema, 'strict', 'flow'), document.value, '');
}

/** Checks one step: its verb, its common keys, its arguments. */
export function checkStep(
  document: SourceDocument,
  pointer: string,
  verbs: ReadonlyMap<string, VerbSpec>,
): { verb?: string; issues: Issue[] } {
  const step = valueAt(document.value, pointer) as JsonObject;
  const found = verbOf(step, pointer, verbs);
  if ('issue' in found) return { issues: [found.issue] };
  const { verb } = found;

  const common: JsonObject = {};
  for (const [key, value] of Object.entries(step)) if (key !== verb) common[key] = value;
  const schema = () => schemaInForm(verbSchemas.get(verb) ?? {}, 'written', 'verb');
  return {
    verb,
    issues: [
      ...checkShape('step', () => schemaInForm(stepSchema, 'written', 'step'), common, pointer),
      ...checkShape(`${verb} written`, schema, step[verb]!, childPointer(pointer, verb)),
    ],
  };
}

/** Finds the key that is a verb. Assignments are the verb if the step has no other one. */
function verbOf(
  step: JsonObject,
  pointer: string,
  verbs: ReadonlyMap<string, VerbSpec>,
): { verb: string } | { issue: Issue } {
  const others = Object.keys(step).filter((key) => !commonKeys.includes(key));
  const known = others.filter((key) => verbs.has(key));
  if (known.length === 1) return { verb: known[0]! };
  if (known.length > 1) {
    const message = `a step has one verb, this one has ${known.map((verb) => quoting`${verb}`).join(' and ')}`;
    return { issue: keyIssue('two-verbs', childPointer(pointer, known[1]!), message, 'make a second step of it') };
  }
  const unknown = others[0];
  if (unknown !== undefined) {
    const same = OTHER_NAMES.get(unknown.toLowerCase());
    const near = same === undefined ? didYouMean(unknown, [...verbs.keys(), ...commonKeys]) : `did you mean ${same}?`;
    const hint = near ?? `the verbs are ${[...verbs.keys()].join(', ')}`;
    const message = quoting`there is no verb ${unknown}`;
    return { issue: keyIssue('unknown-verb', childPointer(pointer, unknown), message, hint) };
  }
  const assigning = Object.keys(step).find((key) => verbs.get(key)?.form === 'assignments');
  if (assigning !== undefined) return { verb: assigning };
  const hint = `give it one of ${[...verbs.keys()].join(', ')}`;
  return { issue: keyIssue('missing-verb', pointer, 'the step has no verb', hint) };
}
