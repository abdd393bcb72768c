/** Reads the outcomes of a verb from its schema, for `possible-outcomes.ts`. */
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { verbSchemas } from '../../base/schema/schema-forms.ts';
import { type DescribedOutcome, type OutcomeTable, type OutcomeVerb, successOf } from './possible-outcomes.ts';

/** Undefined for a verb without a schema. */
export function verbOutcomes(verb: string): OutcomeVerb | undefined {
  const schema = verbSchemas.get(verb);
  return schema && outcomesOfSchema(schema);
}

/** Outcome that `next` routes; undefined if there is none, or if the verb is unknown. */
export const successOfVerb = (verb: string): string | undefined => successOf(describedOutcomes(verb));

/** Outcomes of a verb, with the text that explains each of them. */
export const describedOutcomes = (verb: string): Readonly<Record<string, DescribedOutcome>> =>
  (verbSchemas.get(verb)?.['outcomes'] ?? {}) as unknown as Record<string, DescribedOutcome>;

export function outcomesOfSchema(schema: JsonObject): OutcomeVerb {
  const outcomeTable = (isObject(schema['outcomes']) ? schema['outcomes'] : {}) as unknown as OutcomeTable;
  const conditions = Object.values(outcomeTable).flatMap(({ when }) => when ?? []);
  const named = new Set(conditions.flatMap(keysNamedBy));
  const properties = Object.entries(propertiesOf(schema)).filter(([key]) => named.has(key));
  const defaults = properties.filter(([, { default: value }]) => value !== undefined);
  const writtenOut = properties.filter((entry) => entry[1]['static'] === true).map(([key]) => key);
  return {
    outcomeTable,
    ...(typeof schema['short'] === 'string' && { short: schema['short'] }),
    ...(defaults.length > 0 && {
      outcomeDefaults: Object.fromEntries(defaults.map(([key, { default: value }]) => [key, value!])),
    }),
    ...(writtenOut.length > 0 && { writtenOut }),
  };
}

/** Keys of the arguments that a condition names. */
function keysNamedBy(condition: Json): string[] {
  if (!isObject(condition)) return [];
  const { required = [], properties = {}, not = null, allOf = [], anyOf = [] } = condition;
  const inner = [not, ...(allOf as Json[]), ...(anyOf as Json[])];
  return [...(required as string[]), ...Object.keys(properties as JsonObject), ...inner.flatMap(keysNamedBy)];
}

/** Properties of the long form. */
function propertiesOf({ properties, anyOf }: JsonObject): Record<string, JsonObject> {
  if (isObject(properties)) return properties as Record<string, JsonObject>;
  const forms = Array.isArray(anyOf) ? anyOf.filter(isObject) : [];
  return (forms.find((form) => isObject(form['properties']))?.['properties'] ?? {}) as Record<string, JsonObject>;
}
