import { describe, expect, it } from 'vitest';
import { alignedPaths, marksOf, reachedOf } from '../../../src/pages/studio/web/tests/paths.ts';
import type { TestReportData } from '../../../src/pages/studio/web/tests/test-run.ts';
import { TestSession } from '../../../src/pages/studio/web/tests/test-session.ts';
import { graphIn, textOf } from '../graph/flows.ts';

const order = graphIn(textOf('flows/order-status.flow.yaml'));
const report = (given: Partial<TestReportData> = {}): TestReportData => ({
  file: 'a.test.yaml',
  name: 'a test',
  ok: true,
  duration_ms: 1000,
  path: [],
  failures: [],
  ...given,
});
const at = (step: string, outcome: string, flow?: string) => ({
  step,
  outcome,
  at_ms: 0,
  ...(flow !== undefined && { flow }),
});

describe('path of a test', () => {
  const path = [
    at('ask_order', 'collected'),
    at('inner', 'done', 'other'),
    at('look_up', 'not_found'),
    at('unknown', 'done'),
  ];

  it('is marked on the graph, without the steps of other flows', () => {
    const { path: marked, diff } = marksOf(report({ path }), order);
    expect([...marked!.steps.keys()]).toEqual(['ask_order', 'look_up', 'unknown']);
    expect(marked!.exits.get('look_up not_found')).toBe(1);
    expect(diff).toBeUndefined();
  });

  it('shows both paths if another one was expected', () => {
    const failed = report({ ok: false, path, expected_path: ['ask_order', 'look_up', 'by_state', 'shipped'] });
    const { diff } = marksOf(failed, order);
    expect(Object.fromEntries(diff!.steps)).toEqual({ unknown: 'added', by_state: 'removed', shipped: 'removed' });
    expect(Object.fromEntries(diff!.exits)).toMatchObject({ 'look_up not_found': 'added', 'look_up ok': 'removed' });
    expect(diff!.words).toMatchObject({ added: 'went here', removed: 'expected' });
    expect(alignedPaths(failed)!.map(({ of }) => of)).toEqual(['both', 'both', 'before', 'before', 'now']);
  });

  it('has the steps of other flows if the test names some', () => {
    const expected_path = ['ask_order', 'other/inner', 'look_up', 'unknown'];
    expect(alignedPaths(report({ path, expected_path }))).toBeUndefined();
  });
});

describe('coverage of tests', () => {
  it('counts steps and outcomes, and names the missing ones', () => {
    const reached = reachedOf(order, {
      steps: { ask_order: 2, look_up: 1 },
      exits: { 'ask_order collected': 2, 'look_up failed.timeout': 1 },
    });
    expect(reached).toMatchObject({ steps: 2, ofSteps: 11, outcomes: 2 });
    expect(reached.missing).toContainEqual({ step: 'by_state' });
    expect(reached.missing).toContainEqual({ step: 'ask_order', outcome: 'limit', label: 'limit' });
    // Steps behind an unreached step are not listed.
    expect(reached.missing.filter(({ step }) => step === 'by_state')).toHaveLength(1);
  });
});

describe('a run of tests', () => {
  const file = (name: string) => ({ file: `${name}.test.yaml`, name, text: '', etag: '1' });
  const run = (names: string[], ok: (name: string) => boolean, failing?: Error) => {
    const asked: unknown[] = [];
    const session = new TestSession('order', {
      readTests: async () => names.map(file),
      runTests: async (_flow, { filter, text }) => {
        asked.push([filter, text]);
        if (failing) throw failing;
        const reports = [report({ file: `flows/${filter}`, ok: ok(filter!) })];
        return { reports, coverage: { steps: { menu: 1 }, exits: { 'menu sales': 2 } } };
      },
    });
    return { session, asked };
  };

  it('shows each result at once, and the total coverage', async () => {
    const { session, asked } = run(['a', 'b'], (name) => name.startsWith('a'));
    expect(session.isKnown.value).toBe(false);
    await session.runAll('flow: order');
    expect(session.isKnown.value).toBe(true);
    expect(asked).toEqual([
      ['a.test.yaml', 'flow: order'],
      ['b.test.yaml', 'flow: order'],
    ]);
    expect([session.passed.value, session.failed.value, session.done.value]).toEqual([1, 1, 2]);
    expect(session.coverage.value).toEqual({ steps: { menu: 2 }, exits: { 'menu sales': 4 } });
    expect(session.isRunning).toBe(false);
  });

  it('knows no coverage of a flow without tests', async () => {
    const { session } = run([], () => true);
    await session.runAll('flow: order');
    expect(session.isKnown.value).toBe(false);
  });

  it('is cancelled when another one starts', async () => {
    const { session, asked } = run(['a', 'b'], () => true);
    await Promise.all([session.runAll('one'), session.runAll('two')]);
    expect(asked.filter((each) => (each as string[])[1] === 'two')).toHaveLength(2);
    expect(session.passed.value).toBe(2);
  });

  it('reports the error of the service', async () => {
    const { session } = run(['a'], () => true, new Error('the service does not answer'));
    await session.runAll(undefined);
    expect(session.problem.value).toBe('the service does not answer');
    expect(session.isRunning).toBe(false);
  });
});
