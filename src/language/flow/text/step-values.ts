/**
 * Values that the steps of a flow read and write, and where they are needed: which values a later step may read
 * (`neededAt`), and which are written on every path to a step (`writtenBefore`). `extract-plan.ts` uses it.
 */
import { isObject, type JsonObject } from '../../../base/core/json.ts';
import { type FlowGraph, type GraphLanguage, graphOf, type ReturnsByFlow } from '../graph.ts';
import { END } from '../outcome.ts';
import { valueAt } from './flow-source.ts';
import { keysAt } from './references.ts';
import { keyOf, type Reads, readsIn } from './scope-reads.ts';

export interface StepWay {
  outcome: string;
  target: string;
  /** True if the step itself routes the outcome. */
  own: boolean;
}

export interface StepValues {
  name: string;
  verb: string;
  ways: readonly StepWay[];
  reads: Reads;
  /** Keys of the values that the step may write. */
  mayWrite: ReadonlySet<string>;
  /** Keys of the values that are written whenever the step is left by this outcome. */
  writes(outcome: string): ReadonlySet<string>;
  isTerminal: boolean;
}

export interface FlowValues {
  graph: FlowGraph;
  steps: ReadonlyMap<string, StepValues>;
  /** Values that are read after this step is entered, before they are written; for `$end`, those of the output. */
  neededAt(step: string): ReadonlySet<string>;
  /** Values that are written on all paths from `from` (default: the start) to each step of `within`. */
  writtenBefore(from?: string, within?: ReadonlySet<string>): ReadonlyMap<string, ReadonlySet<string>>;
  /** Step that a hang-up leads to, unless the step itself routes it. */
  atHangup: string;
}

/** Outcomes after which `set` assigns nothing. */
const NEGATIVE = ['error', 'exhausted', 'timeout', 'limit', 'hangup'];

export function flowValues(flow: JsonObject, verbs: GraphLanguage, flows?: ReturnsByFlow): FlowValues {
  const graph = graphOf(flow, { verbs, ...(flows && { flows }) });
  const steps = new Map(graph.steps.map((step) => [step.name, stepValues(flow, step, verbs)]));
  const atHangup = graph.defaults['hangup'] ?? graph.events['hangup'] ?? END;
  const handlers = Object.entries(graph.events).flatMap(([event, step]) => (event === 'hangup' ? [] : [step]));
  const needed = neededValues(flow, steps, [...handlers, atHangup]);
  return {
    graph,
    steps,
    atHangup,
    neededAt: (step) => needed.get(step) ?? new Set(),
    writtenBefore: (from, within) => {
      const start = from ?? graph.start;
      return writtenValues(steps, start === undefined ? [] : [start, ...(from === undefined ? handlers : [])], within);
    },
  };
}

function stepValues(
  flow: JsonObject,
  { name, verb, exits }: FlowGraph['steps'][number],
  verbs: GraphLanguage,
): StepValues {
  const written = valueAt(flow, ['steps', name]);
  const step = isObject(written) ? written : {};
  const spec = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  const assigned = new Set(
    ['set', ...(spec?.form === 'assignments' ? [verb] : [])].flatMap((key) => keysAt(flow, ['steps', name, key])),
  );
  const variables = [...assigned].filter((each) => !each.startsWith('call.')).map((each) => `vars ${each}`);
  // The answer of an application that chooses the outcome may set any variable.
  const isAnswered = Object.values(spec?.outcomeTable ?? {}).some(
    ({ each, needs }) => each === '/outcomes' && needs?.includes('reply'),
  );
  const all = isAnswered ? keysAt(flow, ['vars']).map((each) => `vars ${each}`) : [];
  const result = `steps ${name} *`;
  const isSkipped = step['when'] !== undefined;
  const negative = Object.entries(spec?.outcomeTable ?? {}).flatMap(([outcome, { kind }]) =>
    kind === undefined ? [] : [outcome.split('.')[0]!],
  );
  const onSuccess = new Set([...variables, result]);
  const onFailure = new Set([result]);
  return {
    name,
    verb,
    isTerminal: spec?.terminal === true,
    ways: exits.flatMap(({ outcome, target, own, covers }) =>
      (covers.length > 0 ? covers : [outcome]).map((each) => ({ outcome: each, target, own })),
    ),
    reads: readsOfStep(flow, step, name, spec?.asks === true),
    mayWrite: new Set([...variables, ...all, result]),
    writes: (outcome) => {
      if (isSkipped) return new Set();
      const [word] = outcome.split('.');
      return [...NEGATIVE, ...negative].includes(word!) ? onFailure : onSuccess;
    },
  };
}

/** Reads of the step, and of the defaults that apply to it. */
function readsOfStep(flow: JsonObject, step: JsonObject, name: string, asks: boolean): Reads {
  const parts = [readsIn(step, ['steps', name])];
  for (const key of ['locale', 'voice', ...(asks ? ['input'] : [])]) {
    parts.push(readsIn(valueAt(flow, ['defaults', key]), ['defaults', key]));
  }
  return { found: parts.flatMap(({ found }) => found), any: parts.some(({ any }) => any) };
}

/** The values that each step, or a step after it, reads. `always`: targets of interrupts, which may leave any step. */
function neededValues(
  flow: JsonObject,
  steps: ReadonlyMap<string, StepValues>,
  always: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const atEnd = new Set(readsIn(flow['output'], ['output']).found.map(keyOf));
  const needed = new Map<string, Set<string>>([[END, atEnd]]);
  for (const [name, { reads, isTerminal }] of steps) {
    needed.set(name, new Set([...reads.found.map(keyOf), ...(isTerminal ? atEnd : [])]));
  }
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const [name, step] of steps) {
      const here = needed.get(name)!;
      const before = here.size;
      for (const target of always) for (const key of needed.get(target) ?? []) here.add(key);
      for (const { outcome, target } of step.ways) {
        const written = step.writes(outcome);
        for (const key of needed.get(target) ?? []) if (!isAmong(key, written)) here.add(key);
      }
      isChanged ||= here.size > before;
    }
  }
  return needed;
}

/** True if the value, or the result of which it is a field, is one of these. */
export const isAmong = (key: string, keys: ReadonlySet<string>): boolean =>
  keys.has(key) || (key.startsWith('steps ') && keys.has(`steps ${key.split(' ')[1]} *`));

function writtenValues(
  steps: ReadonlyMap<string, StepValues>,
  starts: readonly string[],
  within: ReadonlySet<string> | undefined,
): ReadonlyMap<string, ReadonlySet<string>> {
  const before = new Map<string, Set<string>>(starts.map((start) => [start, new Set()]));
  const queue = [...starts];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const step = steps.get(name);
    if (step === undefined) continue;
    for (const { outcome, target } of step.ways) {
      if (within !== undefined && !within.has(target)) continue;
      const after = new Set([...before.get(name)!, ...step.writes(outcome)]);
      const known = before.get(target);
      const both = known === undefined ? after : new Set([...known].filter((key) => after.has(key)));
      if (known !== undefined && both.size === known.size) continue;
      before.set(target, both);
      queue.push(target);
    }
  }
  return before;
}
