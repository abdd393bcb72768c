/**
 * Where a call stands, as far as that decides what can still happen: calls that stand in the same way go on in the same way.
 * Neighbours: `deciding.ts` knows which values still decide something, `explore-flow.ts` goes on only where it has not been.
 *
 * Invariant: a value that no condition can read any more never makes two states of one.
 */
import type { Json, JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import type { JournalEntry } from '../runtime/journal.ts';
import { leavingsIn } from '../testkit/leavings.ts';
import { progressOf } from '../testkit/properties.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import { framesOf } from '../workbench/journal-frames.ts';
import type { Choice, Setup } from './choice.ts';
import { type Deciding, decidingIn } from './deciding.ts';
import { ASKING, type Played, type Stop } from './play-choices.ts';

/** A number beyond what it is compared with is only that. */
const NEAR = 1;

export interface Standing {
  key: string;
  /** The innermost step of the main flow, or of the flow below it. */
  step: string;
  flow: string;
}

export function standingOf(
  { journal, heard, stop, open, quietMs }: Played,
  main: CompiledFlow,
  setup: Setup,
  flows: FindFlow,
  choicesBefore: (visit: number) => readonly Choice[],
): Standing {
  const frames = framesOf(journal, flows);
  const results = resultsIn(journal);
  const state: Json[] = [setup as unknown as Json, stopWords(stop), backgroundIn(journal), quietFor(stop, quietMs)];
  state.push(progressOf({ flow: main, journal, heard }));
  for (const { flow: name, step = '', visit, vars, branch } of frames) {
    const flow = flows(name);
    if (!flow) continue;
    const deciding = decidingIn(flow);
    const live = [...deciding.liveAt(step)].toSorted();
    const values = live.map((path) => abstract(valueAt(path, vars, results.get(name) ?? {}), path, deciding));
    const counted = [...flow.steps.values()].filter(
      (each) =>
        (each.maxVisits !== undefined || each.verb === 'repeat') &&
        (each.name === step || deciding.reachableFrom(step).has(each.name)),
    );
    const counts = counted.map(({ name: each, maxVisits }) =>
      Math.min(visitsOf(each, name, journal), maxVisits === undefined ? Number.POSITIVE_INFINITY : maxVisits + 1),
    );
    const made = visit === undefined || !open.has(visit) ? [] : choicesBefore(visit);
    state.push([name, step, branch ?? null, values as Json[], counts, insideOf(open.get(visit ?? -1)?.verb, made)]);
  }
  const innermost = frames.findLast((frame) => frame.step !== undefined && frame.branch === undefined) ?? frames.at(-1);
  return { key: JSON.stringify(state), step: innermost?.step ?? '', flow: innermost?.flow ?? '' };
}

/** How far a step has come by what was chosen since it was entered. */
function insideOf(verb: string | undefined, made: readonly Choice[]): Json {
  // A queue tries its agents again and again, and what its caller hears meanwhile comes again and again.
  if (verb === 'queue') return made.flatMap(({ isAlways, label }) => (isAlways ? [label] : [])).toSorted();
  // The flow below has a state of its own.
  if (verb === 'subflow') return [];
  if (!ASKING.includes(verb ?? '')) return made.map(({ label }) => label).toSorted();
  // Failures count alike, and those before an answer no more; answers that were refused count by their number.
  const isFailure = ({ kind }: Choice): boolean => kind === 'silence' || kind === 'wrong';
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

/** In whole seconds, where the next thing outside may make it longer. */
const quietFor = (stop: Stop, quietMs: number): number => (stop.kind === 'request' ? Math.floor(quietMs / 1000) : 0);

/** Recordings and streams that go on beside the steps. */
function backgroundIn(journal: readonly JournalEntry[]): string {
  const states = new Map<string, string>();
  for (const entry of journal) {
    if (entry.kind === 'recording') states.set('recording', entry.state);
    if (entry.kind === 'stream') states.set('stream', entry.state);
  }
  return [...states].join();
}

/** By flow and step. */
function resultsIn(journal: readonly JournalEntry[]): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const { flow, step, result } of leavingsIn(journal)) {
    if (result !== undefined) found.set(flow, { ...found.get(flow), [step]: result });
  }
  return found;
}

const visitsOf = (step: string, flow: string, journal: readonly JournalEntry[]): number =>
  journal.filter((entry) => entry.kind === 'entered' && entry.step === step && entry.flow === flow).length;

function valueAt(path: string, vars: JsonObject, results: JsonObject): Json | undefined {
  const [scope, ...names] = path.split('.');
  let at: Json | undefined = scope === 'vars' ? vars : scope === 'steps' ? results : undefined;
  for (const name of names) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) break;
    at = at[name];
  }
  return at;
}

/** A value as the conditions see it: what is compared with constants alone is one of them, or beside them. */
function abstract(value: Json | undefined, path: string, { constants, exact }: Deciding): Json {
  if (value === undefined) return '~missing';
  const compared = [...(constants.get(path) ?? [])];
  if (typeof value === 'number') {
    const numbers = compared.filter((each) => typeof each === 'number');
    if (numbers.length === 0 || exact.has(path)) return value;
    // What is below may be counted up.
    return Math.max(Math.min(0, ...numbers) - NEAR, Math.min(Math.max(...numbers) + NEAR, value));
  }
  if (typeof value === 'string' && !exact.has(path)) return compared.includes(value) ? value : '~other';
  return value;
}
