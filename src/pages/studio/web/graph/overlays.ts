/**
 * Overlays of a drawing: path of a call, test coverage, problems, differences between versions, live calls. Outcomes
 * are those of the journal (`failed.busy`); a row of a card includes all outcomes that it routes.
 */
import type { ReadonlySignal } from '@preact/signals';
import type { ChangedWords } from './changed-words.ts';
import { type Card, type CardRow, exitId } from './drawing.ts';

export type DiffMark = 'added' | 'removed' | 'changed';

/** Counts by step and by `exitId(step, outcome)`. */
export interface VisitCounts {
  steps: ReadonlyMap<string, number>;
  exits: ReadonlyMap<string, number>;
}

/** Counts of two versions, each for its share of the calls. */
export interface Compared {
  before: VisitCounts;
  after: VisitCounts;
  /** Display names of the versions. */
  names: readonly [before: string, after: string];
}

export interface StepProblem {
  severity: 'error' | 'warning';
  message: string;
}

export interface Overlays {
  /** Path of a call; `now` is its current step. */
  path?: VisitCounts & { now?: string };
  coverage?: VisitCounts;
  problems?: ReadonlyMap<string, StepProblem>;
  /** `words`: names of the changes, if they do not come from a version comparison. */
  diff?: {
    steps: ReadonlyMap<string, DiffMark>;
    exits: ReadonlyMap<string, DiffMark>;
    /** Changed words on cards, by step. */
    texts?: ReadonlyMap<string, ChangedWords>;
    words?: Readonly<Record<DiffMark, string>>;
  };
  compared?: Compared;
  /** Steps at which a simulated call pauses. */
  breakpoints?: ReadonlySet<string>;
  /** Names of the other people at each step. */
  people?: ReadonlyMap<string, readonly string[]>;
  /** Number of open comments at each step. */
  comments?: ReadonlyMap<string, number>;
  /** Number of calls at each step. A signal, so that a moving call renders only one number. */
  live?: ReadonlySignal<ReadonlyMap<string, number>>;
}

/** Count for a row, over all outcomes that it covers. For a block, over the exits of its steps. */
export function countOf(
  exits: ReadonlyMap<string, number>,
  { step, members }: Card,
  { outcome, covers }: CardRow,
): number {
  const idOf = (covered: string): string => (members === undefined ? exitId(step.name, covered) : covered);
  let sum = covers.includes(outcome) ? 0 : (exits.get(idOf(outcome)) ?? 0);
  for (const each of covers) sum += exits.get(idOf(each)) ?? 0;
  return sum;
}

export interface ComparedCounts {
  before: number;
  after: number;
  /** Text for screen readers. */
  words: string;
}

/** Counts for a row, or for the card without one. Undefined if both versions have none. */
export function comparedAt({ compared }: Overlays, card: Card, row?: CardRow): ComparedCounts | undefined {
  if (compared === undefined) return undefined;
  const names = card.members ?? [card.step.name];
  const count = ({ steps, exits }: VisitCounts): number =>
    row === undefined ? names.reduce((sum, name) => sum + (steps.get(name) ?? 0), 0) : countOf(exits, card, row);
  return comparedWords(compared, count(compared.before), count(compared.after));
}

export function comparedWords({ names }: Compared, before: number, after: number): ComparedCounts | undefined {
  if (before + after === 0) return undefined;
  return { before, after, words: `${before} ${names[0]}, ${after} ${names[1]}` };
}

/** Overlays of a card. A block combines those of its steps. */
export interface CardOverlays {
  visits?: number | undefined;
  isNow: boolean;
  /** Undefined if no coverage is shown. */
  isTested?: boolean | undefined;
  problem?: StepProblem | undefined;
  change?: DiffMark | undefined;
  /** Display name of the change. */
  changeWord?: string | undefined;
  hasBreakpoint: boolean;
  people: readonly string[];
  comments: number;
}

export function saidOf(
  { path, coverage, problems, diff, breakpoints, people, comments }: Overlays,
  { step, members }: Card,
): CardOverlays {
  const names = members ?? [step.name];
  const sum = (counts: ReadonlyMap<string, number> | undefined): number =>
    names.reduce((total, name) => total + (counts?.get(name) ?? 0), 0);
  const found = names.flatMap((name) => problems?.get(name) ?? []);
  const changes = new Set(names.flatMap((name) => diff?.steps.get(name) ?? []));
  const [first] = changes;
  const change = members !== undefined && first !== undefined ? 'changed' : first;
  return {
    visits: sum(path?.steps) || undefined,
    isNow: path?.now !== undefined && names.includes(path.now),
    isTested: coverage && sum(coverage.steps) > 0,
    problem: found.find(({ severity }) => severity === 'error') ?? found[0],
    change,
    changeWord: change && (diff?.words?.[change] ?? change),
    hasBreakpoint: names.some((name) => breakpoints?.has(name)),
    people: names.flatMap((name) => people?.get(name) ?? []),
    comments: sum(comments),
  };
}

/** Number of calls at a card, including the steps of a block. */
export const liveAt = (live: ReadonlyMap<string, number>, { step, members }: Card): number =>
  (members ?? [step.name]).reduce((total, name) => total + (live.get(name) ?? 0), 0);

/** Key of a card's overlays. A card with an unchanged key is not rendered again. */
export function overlayKey(overlays: Overlays, card: Card): string {
  const { path, coverage, diff, compared } = overlays;
  const { name } = card.step;
  const said: unknown[] = [
    path !== undefined,
    overlays.live !== undefined,
    saidOf(overlays, card),
    comparedAt(overlays, card),
  ];
  if (path || coverage || diff || compared) {
    for (const row of card.rows) {
      said.push(path && countOf(path.exits, card, row), coverage && countOf(coverage.exits, card, row));
      said.push(diff?.exits.get(exitId(name, row.outcome)), comparedAt(overlays, card, row));
    }
  }
  return JSON.stringify(said);
}
