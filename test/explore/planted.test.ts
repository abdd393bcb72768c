/** Planted defects, one in each flow: the search finds each, with a test that fails, and passes after the repair. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { exploreFlow } from '../../src/proof/explore/explore-flow.ts';
import { playScenario } from '../../src/proof/testkit/scenario.ts';
import { scenarioFrom } from '../../src/proof/testkit/scenario-file.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { PLANTED } from './planted.ts';

function compiled(text: string): CompiledFlow {
  const { flow, diagnostics } = compileFlow(text, 'planted.flow.yaml', verbs);
  if (!flow) throw new Error(JSON.stringify(diagnostics));
  return flow;
}

const explored = (flow: CompiledFlow) => exploreFlow(flow, { flows: () => flow });

test('has at least thirty planted defects', () => expect(PLANTED.length).toBeGreaterThanOrEqual(30));

test.each(PLANTED)('finds the planted defect: $name', async ({ kind, flow: text, mend: [from, to] }) => {
  const flow = compiled(text);
  const { findings, bounded } = await explored(flow);
  expect(bounded).toEqual([]);
  const finding = findings.find((each) => each.kind === kind);
  expect(finding, JSON.stringify(findings)).toBeDefined();
  const { scenario, diagnostics } = scenarioFrom(finding!.form as unknown as JsonObject, 'found.test.yaml');
  expect(diagnostics).toEqual([]);
  expect((await playScenario(scenario!, flow)).ok).toBe(false);

  expect(text).toContain(from);
  const mended = compiled(text.replace(from, to));
  expect((await playScenario(scenario!, mended)).failures).toEqual([]);
  expect((await explored(mended)).findings).toEqual([]);
});
