/** Two versions of a flow in one drawing. Removed steps and exits stay in it and are marked. Uses `overlays.ts`. */
import type { FlowGraph, GraphExit, GraphStep } from '../../../../language/flow/graph.ts';
import { type ChangedWords, changedWords } from './changed-words.ts';
import { exitId } from './drawing.ts';
import type { DiffMark, Overlays } from './overlays.ts';

export interface VersionDiff {
  graph: FlowGraph;
  overlays: NonNullable<Overlays['diff']>;
}

/** Suffix of the outcome of a removed exit, because an exit of the new version may have the same name. */
export const WENT = ' (before)';

export function diffOf(before: FlowGraph, after: FlowGraph): VersionDiff {
  const steps = new Map<string, DiffMark>();
  const exits = new Map<string, DiffMark>();
  const texts = new Map<string, ChangedWords>();
  const old = new Map(before.steps.map((step) => [step.name, step]));
  const kept = new Set(after.steps.map(({ name }) => name));

  const merged = after.steps.map((step): GraphStep => {
    const was = old.get(step.name);
    if (was === undefined) {
      steps.set(step.name, 'added');
      for (const { outcome } of step.exits) exits.set(exitId(step.name, outcome), 'added');
      return step;
    }
    const isSame = (exit: GraphExit) => (other: GraphExit) =>
      other.outcome === exit.outcome && other.target === exit.target;
    const went = was.exits.filter((exit) => exit.own && !step.exits.some(isSame(exit)));
    for (const exit of step.exits) {
      if (exit.own && !was.exits.some(isSame(exit))) exits.set(exitId(step.name, exit.outcome), 'added');
    }
    const gone = went.map((exit): GraphExit => {
      const outcome = exit.outcome + WENT;
      exits.set(exitId(step.name, outcome), 'removed');
      return { ...exit, outcome, covers: [], label: exit.label ?? exit.outcome };
    });
    const waysMoved = step.exits.some(({ outcome }) => exits.has(exitId(step.name, outcome)));
    if (gone.length > 0 || waysMoved || saysOf(was) !== saysOf(step)) steps.set(step.name, 'changed');
    if (was.about !== step.about) texts.set(step.name, changedWords(was.about, step.about));
    const about = was.about === step.about ? step.about : `${was.about} → ${step.about}`;
    if (gone.length === 0 && about === step.about) return step;
    return { ...step, about, exits: gone.length > 0 ? besides(step.exits, gone) : step.exits };
  });
  for (const step of before.steps) {
    if (kept.has(step.name)) continue;
    steps.set(step.name, 'removed');
    for (const { outcome } of step.exits) exits.set(exitId(step.name, outcome), 'removed');
    merged.push(step);
  }
  return { graph: { ...after, steps: merged }, overlays: { steps, exits, texts } };
}

/** Places each removed exit below the exit with the same outcome. */
function besides(exits: readonly GraphExit[], gone: readonly GraphExit[]): GraphExit[] {
  const wentFrom = (outcome: string): GraphExit[] => gone.filter((exit) => exit.outcome === outcome + WENT);
  const named = new Set(exits.map(({ outcome }) => outcome + WENT));
  return [
    ...exits.flatMap((exit) => [exit, ...wentFrom(exit.outcome)]),
    ...gone.filter(({ outcome }) => !named.has(outcome)),
  ];
}

const saysOf = ({ verb, about, badges, sensitive, when, label, opens }: GraphStep): string =>
  JSON.stringify([verb, about, badges, sensitive, when, label, opens]);
