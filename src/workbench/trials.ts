/** The jobs that try a flow: a simulated call, its tests, a replay of calls. A flow with errors is answered with them. */
import type { Surroundings, Trial, Trials, TriedFlow } from '../calls/flow-files/flow-trial.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { hasErrors } from '../core/diagnostic.ts';
import type { JsonObject } from '../core/json.ts';
import type { CompiledFlow } from '../flow/compiled-flow.ts';
import { scenarioFrom } from '../testkit/scenario-file.ts';
import { flowsOf } from './bench-flows.ts';
import type { Bench } from './jobs.ts';
import { replayCalls } from './replay-calls.ts';
import { runTests } from './run-tests.ts';
import { simulate } from './simulate.ts';

export const simulateFlow = ({ flow: tried, form, surroundings, ...options }: Trials['simulate'], bench: Bench) =>
  withFlow(tried, bench, async (flow, flows) => {
    const { scenario, diagnostics } = scenarioOf(form, flow, surroundings);
    if (!scenario) return mistakeIn(diagnostics);
    return { result: (await simulate(scenario, flow, { ...options, flows })) as unknown as JsonObject };
  });

export const testFlow = ({ flow: tried, tests, filter = '' }: Trials['tests'], bench: Bench) =>
  withFlow(tried, bench, async (flow, flows) => ({
    result: (await runTests(flow, tests, { flows, filter })) as unknown as JsonObject,
  }));

export const replayFlow = ({ flow: tried, calls, surroundings }: Trials['replay'], bench: Bench) =>
  withFlow(tried, bench, async (_flow, flows) => ({
    result: { results: (await replayCalls(calls, flows, surroundings)) as unknown as JsonObject[] },
  }));

async function withFlow(
  tried: TriedFlow,
  bench: Bench,
  act: (flow: CompiledFlow, flows: ReturnType<typeof flowsOf>['flows']) => Promise<Trial>,
): Promise<Trial> {
  const { flow, diagnostics, flows } = flowsOf(tried, bench);
  if (flow) return act(flow, flows);
  return hasErrors([...diagnostics]) ? { diagnostics } : { unknown: tried.name };
}

/** A call as a test writes it; what it does not say is that of the service. */
export function scenarioOf(form: JsonObject, flow: CompiledFlow, { env, schedules, secrets }: Surroundings) {
  const shown = Object.fromEntries(secrets.map((name) => [name, `the secret ${name}`]));
  const whole = {
    env,
    schedules: { ...schedules },
    secrets: shown,
    ...form,
    test: 'a simulated call',
    flow: flow.name,
  };
  return scenarioFrom(whole, 'simulation');
}

export function mistakeIn([first]: readonly Diagnostic[]): Trial {
  if (!first) return { wrong: 'it cannot be read' };
  return { wrong: first.message, ...(first.hint === undefined ? {} : { hint: first.hint }) };
}
