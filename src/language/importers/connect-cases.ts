/** Transitions of Amazon Connect actions. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';

interface Transitions {
  transitions: JsonObject;
}

/** Conditions of an action: operator, operands and target action. */
export const casesOf = ({ transitions }: Transitions) =>
  listOf(transitions['Conditions']).flatMap(({ NextAction: next, Condition: condition }) => {
    if (!isObject(condition) || typeof next !== 'string') return [];
    const [value] = Array.isArray(condition['Operands']) ? condition['Operands'] : [];
    return [{ operator: String(condition['Operator'] ?? 'Equals'), value: String(value ?? ''), next }];
  });

/** Error transitions of an action: error type and target action. */
export const errorsOf = ({ transitions }: Transitions) =>
  listOf(transitions['Errors']).flatMap(({ NextAction: next, ErrorType: type }) =>
    typeof next === 'string' ? [{ type: String(type ?? 'NoMatchingError'), next }] : [],
  );

const listOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
