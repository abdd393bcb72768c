/**
 * Duration and coverage of exploring a flow of 130 steps. The peer of its calls are the same scripts run as tests: the
 * search adds the choice of actions. The peers of the other figures are their limits.
 */
import type { JsonObject } from '../src/base/core/json.ts';
import { compileFlow } from '../src/language/flow/compile.ts';
import { exploreFlow } from '../src/proof/explore/explore-flow.ts';
import { playScenario } from '../src/proof/testkit/scenario.ts';
import { scenarioFrom } from '../src/proof/testkit/scenario-file.ts';
import { verbs } from '../src/verbs/steps.ts';
import { CLINIC_FLOW } from './clinic-flow.ts';
import { report } from './figure.ts';

const MAX_SECONDS = 30;
const LEAST_PERCENT = 97;

const { flow } = compileFlow(CLINIC_FLOW, '/flows/bench.flow.yaml', verbs);
if (!flow) throw new Error('the flow has errors');

const cpuSeconds = async <Result>(work: () => Promise<Result>): Promise<[result: Result, seconds: number]> => {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1e6];
};

const [found, seconds] = await cpuSeconds(() => exploreFlow(flow, { flows: () => flow, bounds: { wallMs: 300_000 } }));
const [, bareSeconds] = await cpuSeconds(async () => {
  for (const { form } of found.outcomes) {
    const { scenario } = scenarioFrom(form as unknown as JsonObject, 'bench.test.yaml');
    await playScenario(scenario!, flow);
  }
});
const reached = found.total - found.missing.length;
// Excludes steps that only `error` leads to, and outcomes that the simulation does not have.
const reachable = found.total - found.missing.filter(({ why }) => !/^(not everything|no call)/.test(why)).length;
report('explore.130_steps', seconds, 's', MAX_SECONDS);
report('explore.reached', (100 * reached) / reachable, '%', LEAST_PERCENT);
report('explore.states_per_cpu_second', found.states / seconds, '1/s');
report('explore.calls_per_cpu_second', found.runs / seconds, '1/s', found.outcomes.length / bareSeconds);
report('explore.findings', found.findings.length, '');
