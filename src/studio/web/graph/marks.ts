/**
 * What is said over a drawing: the way of a call, what tests cover, problems, a difference of versions, calls that go on.
 * Outcomes are those of the journal (`failed.busy`); a row of a card stands for those that take it.
 */
import type { ReadonlySignal } from '@preact/signals';
import { type Card, exitId, type Row } from './drawing.ts';

export type Change = 'added' | 'removed' | 'changed';

/** How often, by step and by `exitId(step, outcome)`. */
export interface Counts {
  steps: ReadonlyMap<string, number>;
  exits: ReadonlyMap<string, number>;
}

export interface Problem {
  severity: 'error' | 'warning';
  message: string;
}

export interface Marks {
  /** The way that a call took; `now` is where it is. */
  path?: Counts & { now?: string };
  coverage?: Counts;
  problems?: ReadonlyMap<string, Problem>;
  diff?: { steps: ReadonlyMap<string, Change>; exits: ReadonlyMap<string, Change> };
  /** Steps at which a simulated call stops. */
  breakpoints?: ReadonlySet<string>;
  /** Calls at each step. A signal, so that a moving call repaints one number. */
  live?: ReadonlySignal<ReadonlyMap<string, number>>;
}

/** Of all outcomes that a row stands for. */
export function countOf(exits: ReadonlyMap<string, number>, step: string, { outcome, covers }: Row): number {
  let sum = covers.includes(outcome) ? 0 : (exits.get(exitId(step, outcome)) ?? 0);
  for (const each of covers) sum += exits.get(exitId(step, each)) ?? 0;
  return sum;
}

/** What the marks say of a card: cards of which they say the same are not drawn again. */
export function markKey(marks: Marks, { step: { name }, rows }: Card): string {
  const { path, coverage, problems, diff, breakpoints } = marks;
  const said: unknown[] = [
    path && [path.steps.get(name), path.now === name],
    coverage && [coverage.steps.get(name)],
    problems?.get(name)?.message,
    diff?.steps.get(name),
    breakpoints?.has(name),
  ];
  if (path || coverage || diff) {
    for (const row of rows) {
      said.push(path && countOf(path.exits, name, row), coverage && countOf(coverage.exits, name, row));
      said.push(diff?.exits.get(exitId(name, row.outcome)));
    }
  }
  return JSON.stringify(said);
}
