/**
 * Follows the extraction of steps in a test of the flow: the expected path contains the step that runs the local flow,
 * and the moved steps by their new names. Other parts of tests name steps of all flows alike.
 */
import { isObject, type JsonObject } from '../../../base/core/json.ts';
import type { Change } from './change.ts';
import type { Edits } from './edits.ts';
import type { NamedExtraction } from './extract-local.ts';
import type { ExtractPlan } from './extract-plan.ts';
import { valueAt } from './flow-source.ts';
import { keysAt } from './references.ts';
import { renamed } from './rename.ts';

export interface ExtractedIn {
  /** Name of the flow. */
  flow: string;
  made: Pick<NamedExtraction, 'name' | 'call' | 'begins' | 'returns' | 'keeps'> & {
    plan: Pick<ExtractPlan, 'steps' | 'ways'>;
  };
  /** True if the flow also runs other flows, whose steps a path without `FLOW/STEP` leaves out. */
  runsOthers: boolean;
}

export function extractInTest(text: string, extracted: ExtractedIn): Edits {
  return renamed(text, { from: '', to: extracted.made.call }, (test) => {
    if (test['flow'] !== extracted.flow) return [];
    return [...pathChanges(test, extracted), ...momentChanges(test, extracted)];
  });
}

/** Variables that a test compares. */
export const comparedIn = (test: unknown): string[] =>
  isObject(test as JsonObject) ? keysAt(test as JsonObject, ['expect', 'vars']) : [];

function pathChanges(
  test: JsonObject,
  { flow, made: { name, call, begins, returns, keeps, plan }, runsOthers }: ExtractedIn,
): Change[] {
  const written = valueAt(test, ['expect', 'path']);
  if (!Array.isArray(written)) return [];
  const path = written.map(String);
  const moved = new Set(plan.steps);
  // It is not known whether the call went to such a step by a way on, or by an interrupt.
  const isUnclear = plan.ways.some(({ target, isInterrupt }) => isInterrupt && path.includes(target));
  const isInner = path.some((step) => step.includes('/')) || !(runsOthers || isUnclear);
  const inner = (step: string): string[] => (isInner ? [`${flow}/${name}/${step}`] : []);
  const isOwn = (step: string): boolean => !step.includes('/');
  const now: string[] = [];
  for (const [index, step] of path.entries()) {
    if (!moved.has(step)) {
      now.push(step);
      continue;
    }
    if (!moved.has(path.slice(0, index).findLast(isOwn) ?? '')) now.push(call, ...begins.flatMap(inner));
    now.push(...inner(step));
    const next = path.slice(index + 1).find(isOwn);
    const way = plan.ways.find(({ target }) => target === next);
    if (next === undefined || moved.has(next) || way === undefined) continue;
    const last = returns[way.target];
    if (last !== undefined) now.push(...inner(last));
    const keep = keeps[way.target];
    if (keep !== undefined) now.push(keep);
  }
  return now.join() === path.join() ? [] : [{ do: 'set', path: ['expect', 'path'], value: now }];
}

/** Moments of the flow itself: those of moved steps cannot be compared any more. */
function momentChanges(test: JsonObject, { made: { plan } }: ExtractedIn): Change[] {
  const moments = keysAt(test, ['expect', 'reached']);
  const gone = moments.filter((moment) => plan.steps.includes(moment.split('.')[0]!));
  if (gone.length > 0 && gone.length === moments.length) return [{ do: 'remove', path: ['expect', 'reached'] }];
  return gone.map((moment) => ({ do: 'remove', path: ['expect', 'reached', moment] }));
}
