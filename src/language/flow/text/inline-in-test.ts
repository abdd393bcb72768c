/**
 * Follows the inlining of a local flow in a test of its file: the steps of the local flow are steps of the flow itself,
 * under their new names, and the step that ran it is gone. Related: `extract-in-test.ts`.
 */
import type { JsonObject } from '../../../base/core/json.ts';
import type { GraphLanguage } from '../graph.ts';
import { localName } from '../local-flow-name.ts';
import type { Change } from './change.ts';
import type { Edits } from './edits.ts';
import { type Path, valueAt } from './flow-source.ts';
import { keysAt } from './references.ts';
import { renamed, stepsInTest } from './rename.ts';

/** Names of the steps before and after an inlining. */
export interface InlinedNames {
  /** Step that ran the local flow. */
  call: string;
  /** Name of the local flow. */
  name: string;
  /** First of the steps in its place. */
  entry: string;
  /** Step that assigns the inputs. */
  begin?: string | undefined;
  /** New names of the steps of the local flow. A `return` that assigns nothing is gone, and has none. */
  steps: Readonly<Record<string, string | undefined>>;
  /** Steps of the local flow with `return`. */
  returns: readonly string[];
  /** Step that assigns what the local flow gives back at its end without a `return`. */
  keep?: string | undefined;
}

/** A step that a call of a test has visited. */
export interface VisitedStep {
  step: string;
  /** Flow of the step, if it is not the flow of the test. */
  flow?: string;
}

export interface InlinedIn {
  /** Name of the flow. */
  flow: string;
  made: InlinedNames;
  /** Steps that the tests visited before, by file of the test. */
  visited: Readonly<Record<string, readonly VisitedStep[]>>;
}

/** `file`: file of the test. */
export function inlineInTest(text: string, file: string, inlined: InlinedIn, verbs: GraphLanguage): Edits {
  const { flow, made } = inlined;
  return renamed(text, { from: made.call, to: made.entry }, (test) =>
    test['flow'] === flow
      ? [...pathChanges(test, inlined.visited[file] ?? [], inlined), ...nameChanges(test, inlined, verbs)]
      : [],
  );
}

/** An expected path names steps of other flows as `FLOW/STEP`, or leaves all of them out. */
function pathChanges(test: JsonObject, visited: readonly VisitedStep[], { flow, made }: InlinedIn): Change[] {
  const written = valueAt(test, ['expect', 'path']);
  if (!Array.isArray(written) || visited.length === 0) return [];
  const inner = localName(flow, made.name);
  const hasOthers = written.some((step) => String(step).includes('/'));
  let isInside = false;
  const now = visited.flatMap((each, index): string[] => {
    if (each.flow === undefined) {
      isInside = each.step === made.call;
      if (!isInside) return [each.step];
      return made.begin === undefined ? [] : [made.begin];
    }
    if (!isInside || each.flow !== inner) return hasOthers ? [`${each.flow}/${each.step}`] : [];
    const to = made.steps[each.step];
    const next = visited.slice(index + 1).find((later) => later.flow === undefined || later.flow === inner);
    const isEnd = next !== undefined && next.flow === undefined && !made.returns.includes(each.step);
    return [...(to === undefined ? [] : [to]), ...(isEnd && made.keep !== undefined ? [made.keep] : [])];
  });
  return now.join() === written.join() ? [] : [{ do: 'set', path: ['expect', 'path'], value: now }];
}

/** Other parts of tests name the steps of all flows alike. */
function nameChanges(test: JsonObject, { flow, made }: InlinedIn, verbs: GraphLanguage): Change[] {
  const prefix = `${localName(flow, made.name)}/`;
  const gone = new Set([made.call, ...made.returns.filter((step) => made.steps[step] === undefined)]);
  const removed: Path[] = [];
  const changes = stepsInTest(test, verbs).flatMap(({ path, name, atKey }): Change[] => {
    if (path[1] === 'path') return [];
    const [step, ...outcome] = name.slice(name.startsWith(prefix) ? prefix.length : 0).split('.');
    if (gone.has(step!)) {
      if (!atKey) return [{ do: 'set', path, value: made.entry }];
      removed.push(path);
      return [];
    }
    const to = [made.steps[step!] ?? step, ...outcome].join('.');
    if (!name.startsWith(prefix) || to === name) return [];
    return [atKey ? { do: 'key', path, to } : { do: 'set', path, value: to }];
  });
  return [...changes, ...removals(test, removed)];
}

/** Removes keys, with the maps that would be empty. */
function removals(test: JsonObject, paths: readonly Path[]): Change[] {
  const byMap = Map.groupBy(paths, (path) => JSON.stringify(path.slice(0, -1)));
  return [...byMap.values()].flatMap((removed): Change[] => {
    const map = removed[0]!.slice(0, -1);
    return removed.length === keysAt(test, map).length
      ? [{ do: 'remove', path: map }]
      : removed.map((path): Change => ({ do: 'remove', path }));
  });
}
