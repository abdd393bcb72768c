/**
 * Best-first search for a call that leaves a step by a certain outcome: of the calls that `proof/explore/search.ts`
 * plays, those come first whose last action leads closer to the step (`goal-rank.ts`). `find-path.ts` searches existing
 * tests.
 *
 * Invariants
 *  - the returned call was simulated and reached the target;
 *  - tries, acts and real time are bounded; the same flow gives the same call, unless the real time runs out.
 */
import type { Clock } from '../../base/core/clock.ts';
import { formatDuration } from '../../base/core/duration.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { factsOf } from '../../language/flow/verb-facts.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import type { Action } from '../explore/actions/action.ts';
import type { Setup } from '../explore/actions/setup.ts';
import type { Bounds } from '../explore/exploration.ts';
import type { Played } from '../explore/play-choices.ts';
import { CallSearch, firstNode, type Node } from '../explore/search.ts';
import { comparedSetups, firstSetup } from '../explore/setups.ts';
import { formOf } from '../explore/test-form.ts';
import { stepsWithoutErrors } from '../testkit/coverage.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { Scenario } from '../testkit/scenario-file.ts';
import { ranksFor, type SearchTarget } from './goal-rank.ts';
import type { JobContext } from './jobs.ts';
import { simulate } from './simulate.ts';

export interface TestSearchOptions {
  flows: FindFlow;
  /** Parses a call in the form of a test; undefined if it is invalid. */
  scenarioOf(form: JsonObject): Scenario | undefined;
  /** Settings of the service, which a returned call does not contain. */
  service?: Pick<Setup, 'env' | 'timezone' | 'schedules' | 'secrets'>;
  /** Calls of tests that reach the step, from which the search starts. */
  begins?: readonly JsonObject[];
  bounds?: Partial<Bounds>;
  clock?: Clock;
  throwIfOvertaken?: JobContext['throwIfOvertaken'];
}

export interface FoundTest {
  /** Call in the form of a test, for the simulator: each act is carried out at the caller's turn. */
  form: JsonObject;
  clockMs: number;
}

const BOUNDS: Bounds = { runs: 400, depth: 40, wallMs: 5_000 };
/** Rank of the first calls, before all others. */
const FIRST = -1_000;

export async function searchTest(
  flow: CompiledFlow,
  target: SearchTarget,
  { service = {}, begins = [], flows, scenarioOf, throwIfOvertaken, ...options }: TestSearchOptions,
): Promise<{ found?: FoundTest; tried: number }> {
  const first = firstSetup(flow, service);
  const { other, rankAfter } = ranksFor(target, flow, flows);
  const calls = [
    ...begins.map((begin, index) => nodeOf(begin, service, FIRST + index)),
    firstNode(first, [], FIRST + begins.length),
    ...comparedSetups(flow, first).map((setup) => firstNode(setup, [], other)),
  ];
  const search = new CallSearch(flow, calls, {
    ...{ ...options, flows, tested: stepsWithoutErrors(flow).has(target.step) ? {} : nothingAnswered(flow) },
    bounds: { ...BOUNDS, ...options.bounds },
    // Keys during a prompt matter only in the step itself.
    stopsAt: ({ verb, step }) => factsOf(verb).listens !== 'sounds' || step === target.step,
    rankAfter,
  });
  for await (const { node, played } of search.run()) {
    throwIfOvertaken?.();
    const leftAtMs = reachedAt(played.journal, target, flow);
    if (leftAtMs === undefined) continue;
    for (const form of formsOf(node, played, leftAtMs, flow, first)) {
      const scenario = scenarioOf(form);
      const view = scenario && (await simulate(scenario, flow, { flows, until: 'quiet' }).catch(() => undefined));
      if (view && reachedAt(view.journal, target, flow) !== undefined)
        return { found: { form, clockMs: view.clock_ms }, tried: search.runs };
    }
  }
  return { tried: search.runs };
}

/** Answers without a body, which may be an error of the step that expects one. */
const nothingAnswered = ({ steps }: CompiledFlow): Record<string, Json[]> =>
  Object.fromEntries([...steps.values()].flatMap(({ verb, name }) => (verb === 'request' ? [[name, [null]]] : [])));

/** A call of a test, with its acts as the first choice. */
function nodeOf({ script = [], ...form }: JsonObject, service: Setup, rank: number): Node {
  const acts = script as unknown as Action['acts'] & {};
  return firstNode({ ...service, ...(form as Setup) }, [{ kind: 'pass', label: 'as in the test', acts }], rank);
}

/** Time at which the target was reached; undefined if it was not. */
function reachedAt(
  journal: readonly JournalEntry[],
  { step, outcomes }: SearchTarget,
  flow: CompiledFlow,
): number | undefined {
  const own = new Set<number>();
  for (const entry of journal) {
    if (entry.kind === 'entered' && entry.flow === flow.name && entry.step === step) {
      if (outcomes === undefined) return entry.atMs;
      own.add(entry.visit);
    }
    if (entry.kind === 'left' && own.has(entry.visit) && outcomes?.includes(entry.outcome)) return entry.atMs;
  }
  return undefined;
}

/**
 * Forms of a call for the simulator, the shortest first. A simulation carries out each act at the caller's turn, so that
 * it needs `hear` only for an act before the turn, or after a turn at which the caller did not act.
 */
function formsOf(
  { setup, choices }: Node,
  { answeredMs, elapsedMs, sinceActMs }: Played,
  leftAtMs: number,
  flow: CompiledFlow,
  first: Setup,
): JsonObject[] {
  const { test: _test, flow: _flow, ...whole } = formOf('', flow.name, setup, choices, { exact: true });
  const { mocks = {}, script = [], ...given } = whole as unknown as JsonObject & { script?: Json[] };
  const own = Object.entries(given).filter(([key, value]) => !(isOfService(key) && isSame(value, first[key])));
  const restMs = Math.ceil(leftAtMs - (answeredMs + elapsedMs - sinceActMs));
  // The silence of the last turn is an act in a simulation, and is left out of a test.
  const rests: Json[] = ['silence', ...(restMs > 0 ? [{ wait: formatDuration(restMs) }] : [])];
  const timed = script.map((act) => (act === 'hang_up' ? { hang_up: { at: '0s' } } : act));
  const isHeard = (act: Json): boolean => isObject(act) && Object.keys(act).join() === 'hear';
  const lastTimed = timed.filter((act, index) => !isHeard(act) || index === timed.length - 2);
  const scripts = [script.filter((act) => !isHeard(act)), lastTimed, timed].flatMap((acts) => [
    acts,
    ...rests.map((rest) => [...acts, rest]),
  ]);
  return scripts.map((acts) => ({ ...Object.fromEntries(own), mocks, script: acts }));
}

const isOfService = (key: string): key is 'env' | 'timezone' | 'schedules' | 'secrets' =>
  ['env', 'timezone', 'schedules', 'secrets'].includes(key);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
