/**
 * JSON Schemas of the values that a flow gives to the flow that calls it, by outcome. They are read from an unchecked
 * document, and say as much as is written there: names of fields, literal values, and declared types.
 */
import { isObject, type Json, type JsonObject, mapValues } from '../../base/core/json.ts';
import { walk } from '../../base/schema/document.ts';
import { branchesAt, isRequiredAt, typesOf } from '../../base/schema/schema-branches.ts';
import { variableSpec } from './declared-values.ts';
import { hasExpression, isWholeTemplate } from './outcome-conditions.ts';

/** The whole text of a template that reads one declared value. */
const DECLARED = /^\$\{\s*(vars|input)\.(\w+)\s*\}$/;

/** Schema of the `output` of a flow, or of a `return` step. `root`: the document of the flow. */
export function outputSchema(written: Json | undefined, root: JsonObject): JsonObject {
  if (written === undefined || written === null) return { type: 'null' };
  if (isWholeTemplate(written)) {
    const [, scope = '', name = ''] = DECLARED.exec(written) ?? [];
    const declared = isObject(root[scope]) ? root[scope][name] : undefined;
    return isObject(declared) ? variableSpec(declared).schema : {};
  }
  if (typeof written === 'string' && hasExpression(written)) return { type: 'string' };
  if (Array.isArray(written)) return { type: 'array' };
  if (!isObject(written)) return { const: written };
  const properties = mapValues(written, (value) => outputSchema(value, root));
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Names of the inputs for which the flow has no default and no test: a caller has to give them. */
export function neededInputs(root: JsonObject): string[] {
  const input = isObject(root['input']) ? Object.entries(root['input']) : [];
  if (input.length === 0) return [];
  const text = JSON.stringify(root);
  return input.flatMap(([name, declared]) => {
    if (!isObject(declared) || declared['default'] !== undefined || takesNull(declared)) return [];
    const uses = countOf(text, name);
    return uses > optionalUses(root, name) && !isTested(text, name) ? [name] : [];
  });
}

const countOf = (text: string, name: string): number => text.split(new RegExp(`\\binput\\.${name}\\b`)).length - 1;

/** Number of uses in templates of arguments that may be left out. */
function optionalUses({ steps }: JsonObject, name: string): number {
  let uses = 0;
  for (const step of Object.values(isObject(steps) ? steps : {})) {
    for (const [verb, args] of Object.entries(isObject(step) ? step : {})) {
      for (const [pointer, value] of walk(args)) {
        if (!isWholeTemplate(value) || isRequiredAt(verb, pointer)) continue;
        if (branchesAt(verb, pointer).some(typesOf)) uses += countOf(value, name);
      }
    }
  }
  return uses;
}

const takesNull = ({ type, enum: listed, anyOf, oneOf }: JsonObject): boolean =>
  [type].flat().includes('null') ||
  (Array.isArray(listed) && listed.includes(null)) ||
  anyOf !== undefined ||
  oneOf !== undefined;

/** True if an expression compares the input, or chooses by it. */
const isTested = (text: string, name: string): boolean =>
  new RegExp(
    `\\$exists\\((\\$\\$\\.)?input\\.${name}\\b|\\binput\\.${name}\\s*(\\?|=|!=|and\\b|or\\b|,|\\)|\\]|<|>|in\\b|"\\s*[,}])`,
  ).test(text);
