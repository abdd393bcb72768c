/** Planted defects, one in each flow: the search finds each, with a test that fails, and passes after the repair. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { exploreFlow } from '../../src/proof/explore/explore-flow.ts';
import type { FindFlow } from '../../src/proof/testkit/replay-result.ts';
import { playScenario } from '../../src/proof/testkit/scenario.ts';
import { scenarioFrom } from '../../src/proof/testkit/scenario-file.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { PLANTED } from './planted.ts';
import { PLANTED_ANSWERS } from './planted-answers.ts';

const MAX_MENDED_RUNS = 200;

function compiled(text: string): { flow: CompiledFlow; flows: FindFlow } {
  const { flow, locals = [], diagnostics } = compileFlow(text, 'planted.flow.yaml', verbs);
  if (!flow) throw new Error(JSON.stringify(diagnostics));
  return { flow, flows: (name) => locals.find((local) => local.name === name) ?? flow };
}

test.each([
  ['of all kinds', PLANTED],
  ['in answers, lists, times of day and agents', PLANTED_ANSWERS],
])('has at least thirty planted defects %s', (_kind, planted) => expect(planted.length).toBeGreaterThanOrEqual(30));

test.each([...PLANTED, ...PLANTED_ANSWERS])(
  'finds the planted defect: $name',
  async ({ kind, flow: text, mend: [from, to] }) => {
    const { flow, flows } = compiled(text);
    const { findings, bounded } = await exploreFlow(flow, { flows });
    expect(bounded).toEqual([]);
    const finding = findings.find((each) => each.kind === kind);
    expect(finding, JSON.stringify(findings)).toBeDefined();
    const { scenario, diagnostics } = scenarioFrom(finding!.form as unknown as JsonObject, 'found.test.yaml');
    expect(diagnostics).toEqual([]);
    expect((await playScenario(scenario!, flow, { flow: flows })).ok).toBe(false);

    expect(text).toContain(from);
    const mended = compiled(text.replace(from, to));
    expect((await playScenario(scenario!, mended.flow, { flow: mended.flows })).failures).toEqual([]);
    // A search without findings only ends at its limit.
    const bounds = { runs: MAX_MENDED_RUNS };
    expect((await exploreFlow(mended.flow, { flows: mended.flows, bounds })).findings).toEqual([]);
  },
);
