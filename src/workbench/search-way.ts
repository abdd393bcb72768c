/**
 * Best-first search for acts that lead to an outcome of a step: tries the acts first that lead closer to it. Each try
 * simulates the call from the start, which virtual time makes cheap. `way-ideas.ts` lists possible acts, `find-way.ts`
 * searches existing tests.
 *
 * Invariants
 *  - the returned acts were played and led to the target;
 *  - tries, acts and real time are bounded; the same flow gives the same acts, unless the real time runs out.
 */
import { type Clock, systemClock } from '../core/clock.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import { type JournalEntry, MASK } from '../runtime/journal.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import type { Scenario } from '../testkit/scenario-file.ts';
import type { JobContext } from './jobs.ts';
import type { SimulationLimits } from './simulate.ts';
import { simulate } from './simulate.ts';
import type { Simulation } from './simulation-view.ts';
import { type Idea, ideasFor } from './way-ideas.ts';
import { inputsOf } from './way-values.ts';

export interface WayTarget {
  step: string;
  /** The step must end with one of these outcomes; if absent, it must only be entered. */
  outcomes?: readonly string[] | undefined;
}

export interface SearchOptions {
  flows: FindFlow;
  /** Parses a call in the form of a test; undefined if it is invalid. */
  scenarioOf(form: JsonObject): Scenario | undefined;
  /** Opening hours; the dates in them are tried as start of the call. */
  schedules: Readonly<Record<string, Json>>;
  /** Calls of tests that reach the step, from which the search starts. */
  begins?: readonly JsonObject[];
  bounds?: Partial<Bounds>;
  clock?: Clock;
  throwIfOvertaken?: JobContext['throwIfOvertaken'];
}

interface Bounds {
  tries: number;
  acts: number;
  wallMs: number;
}

export interface FoundWay {
  form: JsonObject;
  clockMs: number;
}

const BOUNDS: Bounds = { tries: 400, acts: 40, wallMs: 5_000 };
const LIMITS: SimulationLimits = { virtualMs: 2 * 3_600_000, entries: 4_000, wallMs: 3_000 };
/** Weight of the distance to the target, relative to one act. */
const NEARER = 3;
const UNREACHABLE = 50;
/** Weight of each entry of the target step if its outcome `limit` is wanted. */
const AGAIN = 30;
/** Rank of the first tries, before all others. */
const AT_ONCE = -1_000;
/** Delay after the start of a prompt. */
const SOON_MS = 300;
const SEEDS = [1, 2, 3, 4, 5, 6];
const DAYS = ['2026-01-07T10:00:00Z', '2026-01-07T02:00:00Z', '2026-01-11T12:00:00Z', '2026-12-25T10:00:00Z'];

interface Try {
  form: JsonObject;
  acts: readonly Json[];
  mocks: JsonObject;
  rank: number;
}

export async function searchWay(
  flow: CompiledFlow,
  target: WayTarget,
  options: SearchOptions,
): Promise<{ found?: FoundWay; tried: number }> {
  const { flows, clock = systemClock, throwIfOvertaken } = options;
  const bounds = { ...BOUNDS, ...options.bounds };
  const untilMs = clock.monotonicMs() + bounds.wallMs;
  const distances = distancesTo(target.step, flow);
  const waiting = firstTries(flow, options);
  const seen = new Set<string>();
  let tried = 0;
  while (waiting.length > 0 && tried < bounds.tries && clock.monotonicMs() < untilMs) {
    const next = waiting.reduce((best, each) => (each.rank < best.rank ? each : best));
    waiting.splice(waiting.indexOf(next), 1);
    throwIfOvertaken?.();
    const { form, acts, mocks } = next;
    const whole = { ...form, mocks, script: [...acts] };
    const scenario = options.scenarioOf(whole);
    if (scenario === undefined) continue;
    tried++;
    const simulated = simulate(scenario, flow, { flows, until: 'quiet', limits: LIMITS });
    // Acts that cannot be carried out are discarded.
    const view = await simulated.catch(() => undefined);
    if (view === undefined) continue;
    if (isReached(view, target, flow)) return { found: { form: whole, clockMs: view.clock_ms }, tried };
    // An act during the target step is tried even if the call continued past it and ended.
    const ideas = duringStep(view, target, flow);
    if (view.stopped_at === undefined && view.state !== 'ended') ideas.push(...ideasFor(view, mocks, flow, flows));
    const key = keyOf(view, next, target);
    if (seen.has(key) || acts.length >= bounds.acts) continue;
    seen.add(key);
    for (const [index, idea] of ideas.entries()) {
      const rank = acts.length + index / 100 + rankOf(idea, view, target, flow, distances);
      waiting.push({ form, acts: [...acts, ...idea.acts], mocks: idea.mocks ?? mocks, rank });
    }
  }
  return { tried };
}

/** First tries: calls of tests, the default call, and other times and seeds if the flow has schedules or splits. */
function firstTries(flow: CompiledFlow, { begins = [], schedules }: SearchOptions): Try[] {
  const has = (verb: string): boolean => [...flow.steps.values()].some((step) => step.verb === verb);
  const input = inputsOf(flow);
  const given: JsonObject = Object.keys(input).length === 0 ? {} : { input };
  const named = JSON.stringify([schedules, flow.schedules]).matchAll(/\d{4}-\d\d-\d\d/g);
  const days = has('schedule') ? [...DAYS, ...[...named].map(([day]) => `${day}T12:00:00Z`)] : [];
  const seeds = has('split') ? SEEDS : [];
  const forms: JsonObject[] = [
    ...begins,
    given,
    ...days.map((at) => ({ ...given, at })),
    ...seeds.map((seed) => ({ ...given, seed })),
  ];
  return forms.map(({ script = [], mocks = {}, ...form }, index) => ({
    ...{ form, acts: script as Json[], mocks: mocks as JsonObject },
    rank: AT_ONCE + index,
  }));
}

/** Distance of each step from the target, in edges of the graph. */
function distancesTo(target: string, { steps, events }: CompiledFlow): ReadonlyMap<string, number> {
  const distances = new Map([[target, 0]]);
  const interrupts = Object.values(events);
  for (let distance = 1, grew = true; grew; distance++) {
    grew = false;
    for (const [name, { exits }] of steps) {
      if (distances.has(name)) continue;
      const isNear = [...Object.values(exits), ...interrupts].some((to) => distances.get(to) === distance - 1);
      if (!isNear) continue;
      distances.set(name, distance);
      grew = true;
    }
  }
  return distances;
}

function rankOf(
  { outcome, to }: Idea,
  { frames, journal }: Simulation,
  target: WayTarget,
  { machine, name }: CompiledFlow,
  distances: ReadonlyMap<string, number>,
): number {
  const isTarget = (entry: JournalEntry): boolean =>
    entry.kind === 'entered' && entry.flow === name && entry.step === target.step;
  const again = target.outcomes?.includes('limit') ? AGAIN * journal.filter(isTarget).length : 0;
  const step = frames[0]?.step;
  const isInner = frames.length > 1;
  if (step === target.step && !isInner && outcome !== undefined && target.outcomes?.includes(outcome))
    return -NEARER - again;
  const next = to ?? (step === undefined || outcome === undefined || isInner ? undefined : machine.next(step, outcome));
  if (next === undefined) return 1 + NEARER * (distances.get(step ?? '') ?? UNREACHABLE) - again;
  return NEARER * ((distances.get(next) ?? UNREACHABLE) + 1) - again;
}

function isReached({ journal }: Simulation, { step, outcomes }: WayTarget, flow: CompiledFlow): boolean {
  const own = new Set<number>();
  for (const entry of journal) {
    if (entry.kind === 'entered' && entry.flow === flow.name && entry.step === step) {
      if (outcomes === undefined) return true;
      own.add(entry.visit);
    }
    if (entry.kind === 'left' && own.has(entry.visit) && outcomes?.includes(entry.outcome)) return true;
  }
  return false;
}

/** Acts during the target step without a turn of the caller: a hang-up, or a key during the prompt. */
function duringStep({ journal, acts }: Simulation, { step, outcomes = [] }: WayTarget, flow: CompiledFlow): Idea[] {
  const isWanted = (name: string): boolean => outcomes.includes(name);
  if (!isWanted('hangup') && !isWanted('interrupted')) return [];
  const beganMs = journal[0]?.atMs ?? 0;
  const lastMs = acts.at(-1)?.ended_ms ?? 0;
  for (const entry of journal) {
    if (entry.kind !== 'entered' || entry.flow !== flow.name || entry.step !== step) continue;
    const left = journal.find((each) => each.kind === 'left' && each.visit === entry.visit);
    const soonMs = Math.min(SOON_MS, left === undefined ? SOON_MS : (left.atMs - entry.atMs) / 2);
    const afterMs = Math.round(entry.atMs - beganMs + soonMs - lastMs);
    if (afterMs <= 0) continue;
    const wait = { wait: `${afterMs}ms` };
    const act: Json = isWanted('hangup') ? { hang_up: { at: '0s' } } : { press: { digits: '1', at: '0s' } };
    return [{ acts: [wait, act], outcome: isWanted('hangup') ? 'hangup' : 'interrupted' }];
  }
  return [];
}

/** State key of a call. With masked values states cannot be compared, so that the acts are part of the key. */
function keyOf({ frames, journal, requests }: Simulation, { form, acts, mocks }: Try, target: WayTarget): string {
  const results = new Map<string, Json>();
  let attempts = 0;
  let visits = 0;
  for (const entry of journal) {
    if (entry.kind === 'left') results.set(entry.step, entry.result ?? null);
    if (entry.kind === 'entered') {
      attempts = 0;
      if (entry.step === target.step) visits++;
    }
    if (entry.kind === 'command' && entry.command.type === 'play') attempts++;
  }
  const key = JSON.stringify([form, frames, attempts, visits, mocks, requests.length, [...results]]);
  return key.includes(MASK) ? key + JSON.stringify(acts) : key;
}
