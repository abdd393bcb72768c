/** Job handlers that execute a flow: simulation, tests, replay of calls. For an invalid flow they return its errors. */
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import { hasErrors } from '../../base/core/diagnostic.ts';
import type { JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import { placesNaming, valuesAt } from '../../language/flow/named-places.ts';
import { namesOf } from '../../language/flow/verb-facts.ts';
import type { Surroundings, Trial, Trials, TriedFlow } from '../../service/calls/flow-files/flow-trial.ts';
import { scenarioFrom } from '../testkit/scenario-file.ts';
import { pathTo } from './find-path.ts';
import { flowsOf } from './job-flows.ts';
import type { JobContext } from './jobs.ts';
import { replayCalls } from './replay-calls.ts';
import { runTests } from './run-tests.ts';
import { simulate } from './simulate.ts';
import { testFromCall } from './test-from-call.ts';
import { searchTest } from './test-search.ts';
import { testText } from './test-text.ts';

export const simulateFlow = (
  { flow: tried, form, surroundings, ...options }: Trials['simulate'],
  context: JobContext,
) =>
  withFlow(tried, context, async (flow, flows) => {
    const { throwIfOvertaken } = context;
    const { scenario, diagnostics } = scenarioOf(form, flow, surroundings);
    if (!scenario) return mistakeIn(diagnostics);
    return {
      result: (await simulate(scenario, flow, { ...options, flows, throwIfOvertaken })) as unknown as JsonObject,
    };
  });

export const testFlow = ({ flow: tried, tests, filter = '' }: Trials['tests'], context: JobContext) =>
  withFlow(tried, context, async (flow, flows) => ({
    result: (await runTests(flow, tests, { ...context, flows, filter })) as unknown as JsonObject,
  }));

export const replayFlow = ({ flow: tried, calls, surroundings }: Trials['replay'], context: JobContext) =>
  withFlow(tried, context, async (_flow, flows) => ({
    result: { results: (await replayCalls(calls, flows, { ...surroundings, ...context })) as unknown as JsonObject[] },
  }));

export const takeOverCall = ({ flow: tried, call, title, surroundings }: Trials['take_over'], context: JobContext) =>
  withFlow(tried, context, async (flow, flows) => {
    if (call.journal[0]?.kind !== 'started') return { wrong: 'the journal of the call is not whole' };
    const { form, toFill, lacks } = testFromCall(call.journal, title);
    const schedules = Object.entries(surroundings.schedules).filter(([name]) => isUsed(name, flow));
    const whole = schedules.length === 0 ? form : { ...form, schedules: Object.fromEntries(schedules) };
    const notes = [
      ...toFill.map((place) => `To be filled in, because it is masked in the journal: ${place}`),
      ...lacks.map((what) => `The call had more, which a test would have to say: ${what}`),
    ];
    const text = testText(whole, notes);
    const { reports } = await runTests(flow, [{ file: 'taken-over.test.yaml', text }], { flows });
    const { file: _, ...report } = reports[0]!;
    return { result: { text, to_fill: toFill, lacks, report } as unknown as JsonObject };
  });

export const findWay = (
  { flow: tried, tests, step, outcomes, search, surroundings }: Trials['way'],
  context: JobContext,
) =>
  withFlow(tried, context, async (flow, flows) => {
    if (!flow.steps.has(step)) return { result: { found: false } };
    const way = await pathTo(step, flow, tests, { ...context, flows });
    if (way !== undefined && outcomes === undefined)
      return { result: { found: true, ...way } as unknown as JsonObject };
    if (search !== true) return { result: { found: false } };
    const { found, tried: tries } = await searchTest(
      flow,
      { step, outcomes },
      {
        ...{ ...context, flows, service: settingsOf(surroundings), begins: way === undefined ? [] : [way.form] },
        scenarioOf: (form) => scenarioOf(form, flow, surroundings).scenario,
      },
    );
    if (found === undefined) return { result: { found: false, tried: tries } };
    return { result: { found: true, tried: tries, clock_ms: found.clockMs, form: found.form } };
  });

/** True if a step references the schedule. */
const isUsed = (schedule: string, { steps }: CompiledFlow): boolean =>
  [...steps.values()].some(({ verb, args }) =>
    placesNaming(namesOf(verb), 'schedule').some((pointer) =>
      [...valuesAt(args, pointer)].some(([, named]) => JSON.stringify(named).includes(`"${schedule}"`)),
    ),
  );

/** Acts on the tried flow; without one, returns its errors. */
export async function withFlow(
  tried: TriedFlow,
  context: JobContext,
  act: (flow: CompiledFlow, flows: ReturnType<typeof flowsOf>['flows']) => Promise<Trial>,
): Promise<Trial> {
  const { flow, diagnostics, flows } = flowsOf(tried, context);
  if (flow) return act(flow, flows);
  return hasErrors([...diagnostics]) ? { diagnostics } : { unknown: tried.name };
}

/** Parses a call in the form of a test; values that it does not set are those of the service. */
export const scenarioOf = (form: JsonObject, flow: CompiledFlow, surroundings: Surroundings) =>
  scenarioFrom({ ...settingsOf(surroundings), ...form, test: 'a simulated call', flow: flow.name }, 'simulation');

function settingsOf({ env, timezone, schedules, secrets }: Surroundings) {
  const shown = Object.fromEntries(secrets.map((name) => [name, `the secret ${name}`]));
  return { env, timezone, schedules: { ...schedules }, secrets: shown };
}

export function mistakeIn([first]: readonly Diagnostic[]): Trial {
  if (!first) return { wrong: 'it cannot be read' };
  return { wrong: first.message, ...(first.hint === undefined ? {} : { hint: first.hint }) };
}
