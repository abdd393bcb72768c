/** The steps that are extracted from a flow, and those that stay. `extract-plan.ts` and `extract-problems.ts` read them. */
import type { JsonObject } from '../../../base/core/json.ts';
import type { Language } from './language.ts';
import { reachable } from './step-closure.ts';
import type { FlowValues, StepValues } from './step-values.ts';

export interface Parts {
  flow: JsonObject;
  values: FlowValues;
  selected: ReadonlySet<string>;
  inside: readonly StepValues[];
  outside: readonly StepValues[];
  entry: string;
  language: Language;
  compared: readonly string[];
}

/** Reason why the steps cannot be extracted, as a sentence. */
export interface PlanProblem {
  problem: string;
  hint?: string;
}

/** Names of variables that the selected steps may write. */
export const writtenVariables = ({ inside }: Parts): ReadonlySet<string> =>
  new Set(inside.flatMap(({ mayWrite }) => [...mayWrite].flatMap((key) => variableOf(key) ?? [])));

export const variableOf = (key: string): string | undefined => /^vars (.*)$/.exec(key)?.[1];

/** True if a call can come back to the selected steps after it left them. */
export function isReentered({ values, inside, selected, entry }: Parts): boolean {
  const left = inside.flatMap(({ ways }) => ways.flatMap(({ target }) => (selected.has(target) ? [] : [target])));
  const interrupts = Object.values(values.graph.events);
  return reachable(values, [...left, ...interrupts, values.atHangup]).has(entry);
}

export const listed = (names: Iterable<string>): string => [...new Set(names)].join(', ');
