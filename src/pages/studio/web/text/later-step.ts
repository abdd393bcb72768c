/**
 * A step that is filled in later: a step `todo` with the routes of the verb that was chosen. `turn-step.ts` turns it into
 * a step of a verb. Pure.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { findOutcomes } from '../../../../language/flow/possible-outcomes.ts';
import type { LanguageVerb } from '../../../../language/flow/text/language.ts';

/** Outcomes that a `todo` cannot declare. Only parts of them, such as `exhausted.no_input`, can be declared. */
const RESERVED = ['error', 'hangup', 'limit', 'timeout', 'exhausted', 'start'];

/** `step`: the step as its verb would be written. `next`: the target if it has no routes. */
export function laterStep(
  step: JsonObject,
  { verb, what, next, language }: { verb: string; what: string; next: string; language: Languages },
): JsonObject {
  const args = step[verb] ?? null;
  const { success } = language[verb]!;
  const found = findOutcomes(language[verb]!, args).map(({ name }) => name);
  const led = success !== undefined && typeof step['next'] === 'string' ? [[success, step['next']] as const] : [];
  const routes = Object.entries(isObject(step['exits']) ? step['exits'] : {}).flatMap(([outcome, target]) => {
    const parts = RESERVED.includes(outcome) ? found.filter((name) => name.startsWith(`${outcome}.`)) : [outcome];
    return parts.map((part): readonly [string, Json] => [part, target]);
  });
  const ways = new Map<string, Json>([...led, ...routes]);
  const source = { [verb]: args };
  if (ways.size < 2) return { todo: { what, source }, next: [...ways.values()][0] ?? next };
  return { todo: { what, outcomes: [...ways.keys()], source }, exits: Object.fromEntries(ways) };
}

type Languages = Readonly<Record<string, LanguageVerb>>;

/** True for a step that is still to be written. */
export function isLater(step: Json | undefined): step is JsonObject {
  if (!isObject(step)) return false;
  const { todo } = step;
  return todo !== undefined;
}

/** Verb that was chosen for a step `todo`, if it is known. */
export function verbOfLater(todo: Json | undefined, language: Languages): string | undefined {
  const source = isObject(todo) ? todo['source'] : undefined;
  const [verb] = isObject(source) ? Object.keys(source) : [];
  return verb !== undefined && Object.hasOwn(language, verb) ? verb : undefined;
}
