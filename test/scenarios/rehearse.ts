/** Flows and scenarios as texts: what a test of one verb needs. */
import { compileFlow } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { playScenario } from '../../src/proof/testkit/scenario.ts';
import { loadScenario } from '../../src/proof/testkit/scenario-file.ts';
import type { ScenarioReport } from '../../src/proof/testkit/scenario-report.ts';
import { formatReport } from '../../src/proof/testkit/scenario-report.ts';
import { verbs } from '../../src/verbs/steps.ts';

export function flowOf(text: string): CompiledFlow {
  const { flow, diagnostics } = compileFlow(text, 'test.flow.yaml', verbs);
  if (!flow) throw new Error(JSON.stringify(diagnostics, null, 2));
  return flow;
}

/** Plays `script`, `expect` and so on, as YAML, on a flow; `others` are flows that it may call. */
export async function rehearse(flow: string, scenario: string, others: string[] = []): Promise<ScenarioReport> {
  const compiled = flowOf(flow);
  const { scenario: loaded, diagnostics } = loadScenario(
    `test: a rehearsal\nflow: ${compiled.name}\n${scenario}`,
    'rehearsal.test.yaml',
  );
  if (!loaded) throw new Error(JSON.stringify(diagnostics, null, 2));
  const flows = new Map(others.map((text) => [flowOf(text).name, flowOf(text)]));
  return playScenario(loaded, compiled, { flow: (name) => (typeof name === 'string' ? flows.get(name) : undefined) });
}

/** The same, which must be met. */
export async function succeeds(flow: string, scenario: string, others: string[] = []): Promise<ScenarioReport> {
  const report = await rehearse(flow, scenario, others);
  if (!report.ok) throw new Error(formatReport(report));
  return report;
}
