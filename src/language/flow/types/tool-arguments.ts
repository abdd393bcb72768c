/** Types of the arguments with which an AI agent calls its tools and lookups. */
import { isObject, type JsonObject } from '../../../base/core/json.ts';
import { pointerKeys } from '../../../base/schema/document.ts';
import type { StepDraft } from '../flow-draft.ts';
import { type Blank, mapOf, surely, type Type, typeOfSchema, union, withGap } from './type.ts';

const mapAt = (map: JsonObject, key: string): JsonObject => (isObject(map[key]) ? map[key] : {});

const NOT_OF_EACH: Blank = { why: 'not every tool takes it', byOutcome: true };

/** Type of the arguments of a tool call. An argument that all tools have is certain after any tool call. */
export function argumentsOfTools(tools: JsonObject): Type {
  const declared = Object.values(tools).map((tool) => mapAt(isObject(tool) ? tool : {}, 'arguments'));
  const names = new Set(declared.flatMap(Object.keys));
  const typeIn = (name: string): Type => {
    const types = declared.flatMap((each) => (isObject(each[name]) ? [typeOfSchema(each[name])] : []));
    const type = types.reduce(union);
    return types.length === declared.length ? surely(type) : withGap(type, NOT_OF_EACH);
  };
  return mapOf(new Map([...names].map((name) => [name, typeIn(name)])), 'none');
}

/** Type of `result` in the request of a lookup. */
export function lookupType({ compiled: { args } }: StepDraft, argument: string): Type {
  const [, name = ''] = pointerKeys(argument);
  const lookup = isObject(args) ? mapAt(args, 'lookups')[name] : undefined;
  const declared = isObject(lookup) ? { [name]: lookup } : {};
  return mapOf(new Map([['arguments', argumentsOfTools(declared)]]), 'none');
}
