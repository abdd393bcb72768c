import type { JsonObject } from '../../base/core/json.ts';

/** JSON Schema of the arguments of a tool or a lookup: all without a default are required. */
export function argumentsSchema(declared: Readonly<Record<string, JsonObject>>): JsonObject {
  const required = Object.keys(declared).filter((name) => declared[name]!['default'] === undefined);
  return { type: 'object', properties: declared, required, additionalProperties: false };
}
