/** Declarations of a flow's `vars` and `input`, for the service and for browsers. */
import type { Json, JsonObject } from '../../base/core/json.ts';

/** JSON Schema of a variable, with this product's `sensitive` and `default`. */
export interface VariableSpec {
  schema: JsonObject;
  default?: Json;
  sensitive: boolean;
}

export function variableSpec({ sensitive, default: initial, ...schema }: JsonObject): VariableSpec {
  return { schema, sensitive: sensitive === true, ...(initial !== undefined && { default: initial }) };
}

/** Initial values from the declared defaults. */
export function defaultsOf(specs: Readonly<Record<string, VariableSpec>> = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(specs).flatMap(([name, { default: initial }]): [string, Json][] =>
      initial === undefined ? [] : [[name, initial]],
    ),
  );
}
