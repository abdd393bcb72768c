/** What a flow declares of its `vars` and its `input`, for the service and for browsers. */
import type { Json, JsonObject } from '../core/json.ts';

/** A variable's JSON Schema, with our `sensitive` and `default`. */
export interface VariableSpec {
  schema: JsonObject;
  default?: Json;
  sensitive: boolean;
}

export function variableSpec({ sensitive, default: initial, ...schema }: JsonObject): VariableSpec {
  return { schema, sensitive: sensitive === true, ...(initial !== undefined && { default: initial }) };
}

/** The values that a flow begins with, where nothing is given. */
export function defaultsOf(specs: Readonly<Record<string, VariableSpec>> = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(specs).flatMap(([name, { default: initial }]): [string, Json][] =>
      initial === undefined ? [] : [[name, initial]],
    ),
  );
}
