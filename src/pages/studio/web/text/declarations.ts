/** Declarations of variables that a step assigns and the flow does not declare yet. Pure. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { addTo } from '../../../../language/flow/text/new-names.ts';
import { keysAt } from '../../../../language/flow/text/references.ts';

export function declarationsOf(flow: JsonObject, assigned: JsonObject): Change[] {
  const known = keysAt(flow, ['vars']);
  const undeclared = Object.entries(assigned).filter(([name]) => !known.includes(name) && !name.startsWith('call.'));
  if (undeclared.length === 0) return [];
  const declared = undeclared.map(([name, value]): [string, Json] => [name, typeOfValue(value)]);
  if (isObject(flow['vars'])) {
    return declared.map(([key, value]): Change => ({ do: 'add', path: ['vars'], key, value }));
  }
  return [addTo(flow, [], 'vars', Object.fromEntries(declared))];
}

/** The type of a plain value. An expression, and a value that is still to be written, may have any. */
export function typeOfValue(value: Json): Json {
  if (typeof value === 'string' && (value === '' || value.includes('${'))) return {};
  return { type: typeof value };
}
