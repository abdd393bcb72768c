/**
 * State key of a call: calls with the same key have the same possible continuations. `actions/relevant-variables.ts`
 * computes which values can still affect the flow; `explore-flow.ts` expands each key once.
 *
 * Invariant: a value that no later condition can read is not part of the key.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow, CompiledStep } from '../../language/flow/compiled-flow.ts';
import { factsOf, flowUsesOf } from '../../language/flow/verb-facts.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { actionsByVerb } from '../../verbs/actions.ts';
import { framesOf } from '../testkit/journal-frames.ts';
import { leftStepsIn } from '../testkit/left-steps.ts';
import { progressOf } from '../testkit/properties.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { Action } from './actions/action.ts';
import { type RelevantVariables, relevantVariables } from './actions/relevant-variables.ts';
import type { Setup } from './actions/setup.ts';
import type { Played } from './play-choices.ts';
import type { Stop } from './stop.ts';
import { dependsOnTime } from './times.ts';

/** Numbers outside the range of their comparisons are clamped to this distance from it. */
const NEAR = 1;

export interface StateKey {
  key: string;
  /** Current step of the innermost flow that is not a branch of `parallel`. */
  step: string;
  flow: string;
}

export function stateKeyOf(
  { journal, heard, stop, open, quietMs }: Played,
  main: CompiledFlow,
  setup: Setup,
  flows: FindFlow,
  choicesBefore: (visit: number) => readonly Action[],
): StateKey {
  const frames = framesOf(journal, flows);
  const results = resultsIn(journal);
  const isTimed = frames.some(({ flow, step = '' }) => {
    const found = flows(flow);
    return found === undefined || aheadOf(found, step).decidesByTime;
  });
  const visits = visitsIn(journal);
  const state: Json[] = [setupWords(setup, isTimed), stopWords(stop), backgroundIn(journal), quietFor(stop, quietMs)];
  state.push(progressOf({ flow: main, journal, heard }));
  for (const { flow: name, step = '', visit, vars, branch } of frames) {
    const flow = flows(name);
    if (!flow) continue;
    const variables = relevantVariables(flow);
    const { live, counted } = aheadOf(flow, step);
    const values = live.map((path) => abstract(valueAt(path, vars, results.get(name) ?? {}), path, variables));
    const counts = counted.map(({ name: each, maxVisits }) =>
      Math.min(visits.get(visitKey(name, each)) ?? 0, (maxVisits ?? Number.POSITIVE_INFINITY) + 1),
    );
    const made = visit === undefined || !open.has(visit) ? [] : choicesBefore(visit);
    state.push([name, step, branch ?? null, values as Json[], counts, insideOf(open.get(visit ?? -1)?.verb, made)]);
  }
  const innermost = frames.findLast((frame) => frame.step !== undefined && frame.branch === undefined) ?? frames.at(-1);
  return { key: JSON.stringify(state), step: innermost?.step ?? '', flow: innermost?.flow ?? '' };
}

/** The setup; without the time of the call if nothing ahead depends on it. */
function setupWords({ at, ...setup }: Setup, isTimed: boolean): Json {
  return { ...setup, ...(isTimed && at !== undefined && { at }) } as unknown as Json;
}

/** Properties of a step and of those that can be entered after it. */
interface Ahead {
  /** Paths whose values can still affect the flow, sorted. */
  live: readonly string[];
  /** Steps whose visits are limited, in the order of the flow. */
  counted: readonly CompiledStep[];
  /** True if one of the steps may depend on the time of the call. */
  decidesByTime: boolean;
}

/** A flow does not change once it is compiled. */
const known = new WeakMap<CompiledFlow, Map<string, Ahead>>();

function aheadOf(flow: CompiledFlow, step: string): Ahead {
  const ofFlow = known.get(flow) ?? new Map<string, Ahead>();
  known.set(flow, ofFlow);
  const found = ofFlow.get(step) ?? findAhead(flow, step);
  ofFlow.set(step, found);
  return found;
}

function findAhead(flow: CompiledFlow, step: string): Ahead {
  const variables = relevantVariables(flow);
  const names = new Set([step, ...variables.reachableFrom(step)]);
  const ahead = [...flow.steps.values()].filter(({ name }) => names.has(name));
  return {
    live: [...variables.liveAt(step)].toSorted(),
    counted: ahead.filter(({ maxVisits, verb }) => maxVisits !== undefined || verb === 'repeat'),
    decidesByTime: ahead.some((each) => dependsOnTime(each, flow) || flowUsesOf(each.verb).length > 0),
  };
}

/** Progress inside a step: the choices made since it was entered, reduced to those that matter. */
function insideOf(verb: string | undefined, made: readonly Action[]): Json {
  const own = verb === undefined ? undefined : actionsByVerb[verb]?.inside;
  if (own) return own(made);
  if (factsOf(verb ?? '').listens !== 'asks') return made.map(({ label }) => label).toSorted();
  // Silence and wrong input count alike, and only since the last answer; earlier (refused) answers count by number.
  const isFailure = ({ kind }: Action): boolean => kind === 'silence' || kind === 'wrong';
  const latest = made.findLastIndex((choice) => !isFailure(choice));
  const answers = made.filter((choice) => !isFailure(choice)).length;
  return [answers, made[latest]?.label ?? null, made.length - 1 - latest];
}

function stopWords(stop: Stop): Json {
  if (stop.kind === 'request') return `request ${stop.step}`;
  if (stop.kind === 'party') return `party ${stop.word} ${stop.to}`;
  if (stop.kind === 'turn') return stop.visits.map(({ step, wait }) => `${step} ${wait.digits?.claims ?? ''}`);
  return stop.kind;
}

/** Current silence in whole seconds if a response is pending, because that may extend it. */
const quietFor = (stop: Stop, quietMs: number): number => (stop.kind === 'request' ? Math.floor(quietMs / 1000) : 0);

/** Last states of the background recording and stream. */
function backgroundIn(journal: readonly JournalEntry[]): string {
  const states = new Map<string, string>();
  for (const entry of journal) {
    if (entry.kind === 'recording') states.set('recording', entry.state);
    if (entry.kind === 'stream') states.set('stream', entry.state);
  }
  return [...states].join();
}

/** Returns the last result of each step, by flow and step. */
function resultsIn(journal: readonly JournalEntry[]): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const { flow, step, result } of leftStepsIn(journal)) {
    if (result === undefined) continue;
    const results = found.get(flow) ?? {};
    found.set(flow, results);
    results[step] = result;
  }
  return found;
}

const visitKey = (flow: string, step: string): string => `${flow} ${step}`;

/** Number of visits of each step, by flow and step. */
function visitsIn(journal: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const visits = new Map<string, number>();
  for (const entry of journal) {
    if (entry.kind !== 'entered') continue;
    const key = visitKey(entry.flow, entry.step);
    visits.set(key, (visits.get(key) ?? 0) + 1);
  }
  return visits;
}

function valueAt(path: string, vars: JsonObject, results: JsonObject): Json | undefined {
  const [scope, ...names] = path.split('.');
  let at: Json | undefined = scope === 'vars' ? vars : scope === 'steps' ? results : undefined;
  for (const name of names) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) break;
    at = at[name];
  }
  return at;
}

/** Abstracts a value for the key: one that is compared only with constants becomes one of them, or "other". */
function abstract(value: Json | undefined, path: string, { constants, exact }: RelevantVariables): Json {
  if (value === undefined) return '~missing';
  const compared = [...(constants.get(path) ?? [])];
  if (typeof value === 'number') {
    const numbers = compared.filter((each) => typeof each === 'number');
    if (numbers.length === 0 || exact.has(path)) return value;
    // The lower bound is 0 or less: a counter starts there and is incremented.
    return Math.max(Math.min(0, ...numbers) - NEAR, Math.min(Math.max(...numbers) + NEAR, value));
  }
  if (typeof value === 'string' && !exact.has(path)) return compared.includes(value) ? value : '~other';
  return value;
}
