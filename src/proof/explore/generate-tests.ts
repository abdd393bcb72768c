/**
 * Generates missing tests of a flow: for each outcome that no test covers and the search reaches, a short call to it,
 * with the current prompts and requests as expectations. `explore-flow.ts` searches, `src/cli/test-generate.ts` writes
 * the files.
 *
 * Invariants
 *  - each returned test was played and passed;
 *  - no test passes through a step `todo`, because the behaviour after it is not known.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { visitsOf } from '../testkit/coverage.ts';
import type { ObservedCall } from '../testkit/observed-call.ts';
import { ordersOf, requestsOf } from '../testkit/observed-requests.ts';
import { promptNames } from '../testkit/prompt-names.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import { playScenario } from '../testkit/scenario.ts';
import { scenarioFrom } from '../testkit/scenario-file.ts';
import type { Expect, ScenarioForm } from '../testkit/scenario-form.ts';
import type { Progress, ReachedOutcome } from './exploration.ts';
import { exploreFlow } from './explore-flow.ts';
import { inWords } from './test-form.ts';

export interface GenerateOptions {
  flows: FindFlow;
  /** Journals of the calls of existing tests. */
  journals: readonly (readonly JournalEntry[])[];
  /** Response bodies in the tests of the flow's folder, by step. */
  tested?: Readonly<Record<string, readonly Json[]>>;
  onProgress?(progress: Progress): void;
}

export interface GeneratedTest {
  step: string;
  outcome: string;
  form: ScenarioForm;
}

export interface Generated {
  tests: GeneratedTest[];
  /** Outcomes without a test that the search did not reach. */
  unreached: Unreached[];
}

export interface Unreached {
  step: string;
  outcome: string;
  /** Set if a `todo` step prevents the test. */
  why?: string;
}

export async function generateTests(
  flow: CompiledFlow,
  { journals, flows, ...options }: GenerateOptions,
): Promise<Generated> {
  const { outcomes: covered } = visitsOf(flow.name, journals);
  const isWanted = ({ step, outcome }: { step: string; outcome: string }): boolean =>
    outcome !== 'error' && !covered.has(`${step} ${outcome}`);
  const isOwn = ({ step, outcome }: { step: string; outcome: string }): boolean =>
    Object.hasOwn(flow.steps.get(step)?.exits ?? {}, outcome);
  const isComplete = [...flow.steps].every(([step, { exits }]) =>
    Object.keys(exits).every((outcome) => !isWanted({ step, outcome })),
  );
  if (isComplete) return { tests: [], unreached: [] };
  const found = await exploreFlow(flow, { flows, ...options });
  const reached = found.outcomes.filter((each) => each.flow === flow.name && isOwn(each) && isWanted(each));
  const tests: GeneratedTest[] = [];
  const behindTodo = new Map<string, string>();
  for (const { step, outcome, form, choices } of reached) {
    const whole = await wholeTest({ step, outcome, form, choices }, flow, flows);
    const unwritten = whole?.expect?.path?.find((each) => flow.steps.get(each)?.verb === 'todo');
    if (unwritten !== undefined) behindTodo.set(`${step} ${outcome}`, unwritten);
    else if (whole && (await observe(whole, flow, flows))) tests.push({ step, outcome, form: whole });
  }
  const made = new Set(tests.map(({ step, outcome }) => `${step} ${outcome}`));
  const lacking = reached.filter(({ step, outcome }) => !made.has(`${step} ${outcome}`));
  const unreached = [...found.missing.filter(isWanted), ...lacking];
  const why = (step: string, outcome: string): Pick<Unreached, 'why'> => {
    if (flow.steps.get(step)?.verb === 'todo') return { why: 'the step is still to be written' };
    const before = behindTodo.get(`${step} ${outcome}`);
    return before === undefined ? {} : { why: `the step ${before} before it is still to be written` };
  };
  return { tests, unreached: unreached.map(({ step, outcome }) => ({ step, outcome, ...why(step, outcome) })) };
}

/**
 * Returns the explored call with expectations. A hang-up at its end may come too early in a test, because no search
 * waits for the next stop there; in that case the call is used without the hang-up.
 */
async function wholeTest(
  { step, outcome, form, choices }: Omit<ReachedOutcome, 'flow'>,
  flow: CompiledFlow,
  flows: FindFlow,
): Promise<ScenarioForm | undefined> {
  const { script: _, ...rest } = form;
  for (const kept of choices.at(-1)?.kind === 'hang_up' ? [choices, choices.slice(0, -1)] : [choices]) {
    const script = kept.flatMap(({ acts = [] }) => acts);
    const named = {
      ...{ ...rest, ...(script.length > 0 && { script }) },
      test: `${step} leaves by ${outcome}: ${inWords(kept)}`,
    };
    const observed = await observe(named, flow, flows);
    if (observed && leftBy(observed, step).includes(outcome)) return { ...named, expect: asItIs(observed, step) };
  }
  return undefined;
}

const leftBy = ({ journal }: ObservedCall, step: string): string[] =>
  journal.flatMap((entry) => (entry.kind === 'left' && entry.step === step ? [entry.outcome] : []));

/** Plays a test and returns its call; undefined if the test fails. */
async function observe(form: ScenarioForm, flow: CompiledFlow, flows: FindFlow): Promise<ObservedCall | undefined> {
  const { scenario } = scenarioFrom(structuredClone(form) as JsonObject, form.flow);
  if (scenario === undefined) return undefined;
  let observed: ObservedCall | undefined;
  const { ok } = await playScenario(scenario, flow, {
    flow: flows,
    onObserved(call) {
      observed = call;
    },
  });
  return ok ? observed : undefined;
}

function asItIs(observed: ObservedCall, step: string): Expect {
  const { journal, caller } = observed;
  const entered = journal.flatMap((entry) => (entry.kind === 'entered' && entry.depth === 0 ? [entry.step] : []));
  const left = leftBy(observed, step);
  const made = requestsOf(observed).map(({ name, method, url, body }) => ({
    ...{ step: name, method, url },
    ...(body !== undefined && { body }),
  }));
  const messages = ordersOf(observed, 'message');
  const payments = ordersOf(observed, 'payment').map(withoutId);
  const calls = ordersOf(observed, 'call').map(({ at: _at, ...order }) => order);
  const notified = journal.flatMap((entry) =>
    entry.kind === 'notified' ? [{ event: entry.event, body: entry.body }] : [],
  );
  return {
    path: entered,
    outcomes: { [step]: left.length === 1 ? left[0]! : left },
    heard: promptNames(caller.farEnd.heard),
    ...(made.length > 0 && { requests: made }),
    ...(messages.length > 0 && { messages }),
    ...(payments.length > 0 && { payments }),
    ...(calls.length > 0 && { calls }),
    ...(notified.length > 0 && { notified }),
  };
}

/** Removes the id, which differs in each call. */
const withoutId = ({ id: _id, ...order }: JsonObject): JsonObject => order;
