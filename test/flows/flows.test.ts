/** All published flows, checked and tested as an author would: those in `flows` and in `examples`. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileFiles, libraryAround } from '../../src/cli/flow-files.ts';
import { coverageOf, runScenarioFile, type ScenarioReport } from '../../src/proof/testkit/index.ts';
import { ROOT } from '../cli/command.ts';

/** A shipped flow whose prompts are longer. */
function withMoreWords(name: string): JsonObject {
  const flow = parse(readFileSync(`${ROOT}/flows/${name}.flow.yaml`, 'utf8')) as JsonObject;
  const prompts = Object.entries(flow['prompts'] as JsonObject);
  const longer = prompts.map(([key, words]) => [key, typeof words === 'string' ? `${words} Thank you.` : words]);
  return { ...flow, prompts: Object.fromEntries(longer) };
}

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

  const shipped = scenarios.filter((file) => dirname(near(file)) === 'flows');
  test.each(shipped.map((file) => [near(file), file]))('passes %s when prompts have more words', async (_, file) => {
    const library = libraryAround(file, [dirname(file)]);
    const { flow: name } = parse(readFileSync(file, 'utf8')) as { flow: string };
    const { flow } = library.compile(withMoreWords(name));
    const report = await runScenarioFile(file, { flow: (wanted) => (wanted === name ? flow : library.find(wanted)) });
    expect(report.failures).toEqual([]);
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
