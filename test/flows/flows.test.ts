/** All published flows, checked and tested as an author would: those in `flows` and in `examples`. */
import { globSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileFiles, libraryAround } from '../../src/cli/flow-files.ts';
import { coverageOf, runScenarioFile, type ScenarioReport } from '../../src/proof/testkit/index.ts';
import { ROOT } from '../cli/command.ts';

const near = (file: string): string => relative(ROOT, file);
const scenarios = globSync(`${ROOT}/{flows,examples}/**/*.test.yaml`).sort();
const flows = compileFiles([`${ROOT}/flows`, `${ROOT}/examples`]);
const reports: ScenarioReport[] = [];
/** Published flows in `flows`. A developer may have other flows there, which need no tests. */
const SHOWN = ['business-hours', 'order-status', 'pin-entry', 'survey', 'welcome-menu'];

test.each(flows.map(({ file, diagnostics }) => [near(file), diagnostics] as const))(
  '%s is checked without a warning',
  (_, diagnostics) => {
    expect(diagnostics).toEqual([]);
  },
);

describe('scenarios', () => {
  test.each(scenarios.map((file) => [near(file), file]))('passes the scenario %s', async (_, file) => {
    // The flows of a folder are compiled once for all of its tests.
    const library = libraryAround(file, [dirname(file)]);
    reports.push(await runScenarioFile(file, { flow: library.find.bind(library) }));
  });

  test('tests every published flow, and leaves only apologies unplayed', () => {
    const own = flows.filter(({ file, flow }) => near(file).startsWith('examples/') || SHOWN.includes(flow!.name));
    expect(own.length).toBeGreaterThanOrEqual(SHOWN.length + 7);
    const unseen = own.flatMap(({ flow }) => {
      const journals = reports
        .filter(({ file }) => dirname(file) === dirname(flow!.file))
        .map(({ journal }) => journal);
      expect(journals, flow!.file).not.toHaveLength(0);
      const { missing } = coverageOf(flow!, journals);
      return missing.flatMap((gap) => (gap.kind === 'step' ? [`${flow!.name}: ${gap.step}`] : []));
    });
    expect(unseen.filter((step) => !/: (apologise|sorry)$/.test(step))).toEqual([]);
  });
});
