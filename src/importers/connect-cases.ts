/** Transitions of actions of Amazon Connect. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';

interface Transitions {
  transitions: JsonObject;
}

/** Conditions of an action: how they compare, with what, and where they lead. */
export const casesOf = ({ transitions }: Transitions) =>
  listOf(transitions['Conditions']).flatMap(({ NextAction: next, Condition: condition }) => {
    if (!isObject(condition) || typeof next !== 'string') return [];
    const [value] = Array.isArray(condition['Operands']) ? condition['Operands'] : [];
    return [{ operator: String(condition['Operator'] ?? 'Equals'), value: String(value ?? ''), next }];
  });

/** Where its errors lead. */
export const errorsOf = ({ transitions }: Transitions) =>
  listOf(transitions['Errors']).flatMap(({ NextAction: next, ErrorType: type }) =>
    typeof next === 'string' ? [{ type: String(type ?? 'NoMatchingError'), next }] : [],
  );

const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
