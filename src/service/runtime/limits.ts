/** Limits of a call's CPU, memory and disk usage, independent of the limits of its flows. */
import { type Fault, fault } from '../../base/core/fault.ts';
import type { Json } from '../../base/core/json.ts';

/** Concurrent flows of a call, nested or in branches. */
export const MAX_FRAMES = 20;
const MAX_STEPS_AT_ONCE = 10_000;
/** Bounded, because a hang-up waits for the decision. */
const MAX_DECISION_MS = 10_000;
/** An hour of menus is a few hundred thousand characters. */
const MAX_JOURNAL_SIZE = 32_000_000;
/** Bounded, because variables are written at every decision. */
export const MAX_VARIABLE_SIZE = 250_000;

/** Fault of the limit that a call exceeds: by its steps and CPU time since the last input, or by its journal. */
export function exceededLimit(stepsAtOnce: number, elapsedMs: number, journalSize: number): Fault | undefined {
  if (stepsAtOnce > MAX_STEPS_AT_ONCE) {
    return fault('too_many_steps', `more than ${MAX_STEPS_AT_ONCE} steps without waiting for anything`);
  }
  if (elapsedMs > MAX_DECISION_MS) {
    const seconds = MAX_DECISION_MS / 1000;
    return fault('too_slow', `more than ${seconds} seconds of computing without waiting for anything`);
  }
  if (journalSize <= MAX_JOURNAL_SIZE) return undefined;
  return fault('too_much', `the call has more than ${MAX_JOURNAL_SIZE} characters in its journal`);
}

/** Approximate size of a value in characters of JSON: cheap enough for every journal entry. */
export function jsonSize(value: Json | undefined): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let weight = 2;
  if (Array.isArray(value)) {
    for (const item of value) weight += 1 + jsonSize(item);
    return weight;
  }
  for (const key in value) weight += key.length + 4 + jsonSize(value[key]);
  return weight;
}
