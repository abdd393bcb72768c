/**
 * Figures of a canary: rates, exits whose shares differ, and the reason for its end. Pure.
 *
 * Invariant: the share of an exit is computed among the calls that left its step, not among all calls, because rarely
 * reached exits can differ much.
 */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { WENT } from '../graph/diff.ts';
import { exitId } from '../graph/drawing.ts';
import type { Compared as ComparedOverlays, VisitCounts } from '../graph/overlays.ts';
import type { CanaryComparison, CanaryData, CanarySide } from './canary-api.ts';

export type Measure = 'errors' | 'abandoned';

/** Rate from 0 to 1. Undefined without calls. */
export const rateOf = (side: CanarySide, measure: Measure): number | undefined =>
  side.calls === 0 ? undefined : side[measure] / side.calls;

/** Rate of the canary above which it is rolled back. */
export function limitOf({ compared, back_when }: CanaryData, measure: Measure): number | undefined {
  const rate = rateOf(compared.in_force, measure);
  return rate === undefined ? undefined : rate + marginOf(back_when, measure) / 100;
}

const marginOf = (margins: CanaryData['back_when'], measure: Measure): number =>
  measure === 'errors' ? margins.errors_worse_by : margins.abandoned_worse_by;

export const percentWords = (rate: number | undefined): string =>
  rate === undefined ? '–' : `${(rate * 100).toFixed(1)} %`;

/** `+3.2`, `−3.2`, `0.0` */
export function pointWords(points: number): string {
  const words = Math.abs(points).toFixed(1);
  return words === '0.0' ? words : `${points > 0 ? '+' : '−'}${words}`;
}

interface Share {
  count: number;
  /** Share of the calls that left the step, 0 to 1. Undefined if no call left it. */
  share: number | undefined;
}

export interface ComparedExit {
  step: string;
  outcome: string;
  inForce: Share;
  canary: Share;
  /** Difference in percentage points: canary minus live version. */
  points: number;
  /** True if the difference is statistically significant. */
  isClear: boolean;
}

/** Number of standard errors. Random differences exceed it once in 20 times. */
const CLEAR = 1.96;

/** Exits with the largest differences first. Exits of steps that only one version has reached are omitted. */
export function exitsThatDiffer({ in_force, canary }: CanaryComparison): ComparedExit[] {
  const ids = [...new Set([...Object.keys(in_force.exits), ...Object.keys(canary.exits)])];
  const [left, leftByCanary] = [stepsOf(in_force), stepsOf(canary)];
  return ids
    .flatMap((id) => {
      const [step, outcome] = partsOf(id);
      const inForce = shareOf(in_force.exits[id], left.get(step));
      const other = shareOf(canary.exits[id], leftByCanary.get(step));
      if (inForce.share === undefined || other.share === undefined || inForce.share === other.share) return [];
      const error = standardError(inForce, left.get(step)!, other, leftByCanary.get(step)!);
      const difference = other.share - inForce.share;
      const weight = Math.abs(difference) / error;
      return {
        weight,
        exit: { step, outcome, inForce, canary: other, points: difference * 100, isClear: weight > CLEAR },
      };
    })
    .sort((one, other) => other.weight - one.weight)
    .map(({ exit }) => exit);
}

function standardError(one: Share, ofOne: number, other: Share, ofOther: number): number {
  const share = (one.count + other.count) / (ofOne + ofOther);
  return Math.sqrt(share * (1 - share) * (1 / ofOne + 1 / ofOther));
}

const shareOf = (count = 0, of = 0): Share => ({ count, share: of === 0 ? undefined : count / of });

function partsOf(id: string): [step: string, outcome: string] {
  const at = id.indexOf(' ');
  return at < 0 ? [id, ''] : [id.slice(0, at), id.slice(at + 1)];
}

/** Number of calls that left each step. */
function stepsOf({ exits }: Pick<CanarySide, 'exits'>): Map<string, number> {
  const steps = new Map<string, number>();
  for (const [id, count] of Object.entries(exits)) {
    const [step] = partsOf(id);
    steps.set(step, (steps.get(step) ?? 0) + count);
  }
  return steps;
}

/** Counts for the combined drawing. `graph` contains removed and added exits (`diffOf`). */
export function comparedMarks({ in_force, canary }: CanaryComparison, graph: FlowGraph): ComparedOverlays {
  return {
    before: { steps: stepsOf(in_force), exits: exitsBefore(in_force, graph) },
    after: { steps: stepsOf(canary), exits: new Map(Object.entries(canary.exits)) },
    names: [t('in force'), t('canary')],
  };
}

/** Counts of the previous version. Calls through a moved exit are counted at the removed one. */
function exitsBefore({ exits }: CanarySide, graph: FlowGraph): VisitCounts['exits'] {
  const went = new Set(
    graph.steps.flatMap(({ name, exits: ways }) =>
      ways.filter(({ outcome }) => outcome.endsWith(WENT)).map(({ outcome }) => exitId(name, outcome)),
    ),
  );
  const counts = new Map<string, number>();
  for (const [id, count] of Object.entries(exits)) {
    const [step, outcome] = partsOf(id);
    // An exit `failed` includes `failed.busy`.
    const names = [outcome, outcome.split('.')[0]!].map((each) => exitId(step, each + WENT));
    const key = names.find((name) => went.has(name)) ?? id;
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return counts;
}

/** Heading for the end of the canary, shown after its name. */
export function endTitle({ ended }: Pick<CanaryData, 'ended'>): string {
  const titles: Record<string, string> = {
    errors: t('rolled back: too many errors'),
    abandoned: t('rolled back: too many callers hung up'),
    published: t('was published'),
  };
  return titles[ended?.why ?? ''] ?? t('was ended');
}

/** Reason for the end, in one or two sentences. */
export function endWords(canary: CanaryData, timeOf: (at: string) => string): string {
  const { ended, compared, back_when } = canary;
  if (ended === undefined) return '';
  const at = timeOf(ended.at);
  const figures = (measure: Measure) => ({
    at,
    percent: percentWords(rateOf(compared.canary, measure)),
    other: percentWords(rateOf(compared.in_force, measure)),
    margin: marginOf(back_when, measure),
  });
  const { by } = ended;
  const words: Record<string, () => string> = {
    errors: () =>
      t(
        'Rolled back automatically, {at}: errors ended {percent} of the canary’s calls, against {other} of those in force; {margin} points more were allowed.',
        figures('errors'),
      ),
    abandoned: () =>
      t(
        'Rolled back automatically, {at}: callers hung up in {percent} of the canary’s calls, against {other} of those in force; {margin} points more were allowed.',
        figures('abandoned'),
      ),
    published: () =>
      by === undefined
        ? t('Published, {at}: the version is in force.', { at })
        : t('Published by {by}, {at}: the version is in force.', { by, at }),
    stopped: () =>
      by === undefined
        ? t('Ended, {at}: all new calls take the live version.', { at })
        : t('Ended by {by}, {at}: all new calls take the live version.', { by, at }),
    broken: () => t('Stopped, {at}: the candidate no longer compiles.', { at }),
  };
  const { why } = ended;
  const unknown = (): string =>
    by === undefined ? t('Ended, {at}: {why}.', { at, why }) : t('Ended by {by}, {at}: {why}.', { by, at, why });
  return (words[why] ?? unknown)();
}
