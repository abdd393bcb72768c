/** The tests of all flows, flow after flow. */
import { describe, expect, it } from 'vitest';
import { AllRuns } from '../../../src/pages/studio/web/tests/all-runs.ts';
import type { TestReportData, TestRunData } from '../../../src/pages/studio/web/tests/test-run.ts';
import { graphIn, textOf } from '../graph/flows.ts';

const graph = graphIn(textOf('examples/01-hello/hello.flow.yaml'));
const report = (ok: boolean) => ({ ok }) as TestReportData;
const runOf = (...oks: boolean[]): TestRunData => ({
  reports: oks.map(report),
  coverage: { steps: { greet: 1, bye: 1 }, exits: { 'greet done': 1 } },
});
const flows = [
  { name: 'whole', tests: 2, errors: 0 },
  { name: 'untested', tests: 0, errors: 0 },
  { name: 'broken', tests: 1, errors: 1 },
  { name: 'wrong', tests: 2, errors: 0 },
];

describe('tests of all flows', () => {
  it('are run where there are some, and a flow that cannot be tested delays no other', async () => {
    const asked: string[] = [];
    const all = new AllRuns({
      listFlows: async () => flows,
      readGraph: async () => graph,
      async runTests(flow) {
        asked.push(flow);
        if (flow === 'broken') throw new Error('the flow has errors');
        return flow === 'whole' ? runOf(true, true) : runOf(true, false);
      },
    });
    await all.runAll();
    expect(asked).toEqual(['whole', 'broken', 'wrong']);
    expect(all.runs.value.get('whole')).toMatchObject({ passed: 2, failed: 0, reached: { steps: 2, ofSteps: 2 } });
    expect(all.runs.value.get('broken')).toEqual({ passed: 0, failed: 0, problem: 'the flow has errors' });
    expect([all.passed.value, all.failed.value, all.running.value]).toEqual([3, 2, undefined]);
  });

  it('are those of the later run, when it is requested again', async () => {
    const first = Promise.withResolvers<TestRunData>();
    let runs = 0;
    const all = new AllRuns({
      listFlows: async () => flows.slice(0, 1),
      readGraph: async () => graph,
      runTests: async () => (runs++ === 0 ? first.promise : runOf(true)),
    });
    const before = all.runAll();
    await Promise.resolve();
    const after = all.runAll();
    first.resolve(runOf(false));
    await Promise.all([before, after]);
    expect([all.passed.value, all.failed.value]).toEqual([1, 0]);
  });
});
