/**
 * `callweave test --generate` and `import --tests`: write a test for each uncovered outcome. Uses
 * `proof/explore/generate-tests.ts`.
 */
import { basename, dirname, join } from 'node:path';
import type { JsonObject } from '../base/core/json.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import type { Progress } from '../proof/explore/exploration.ts';
import { type GeneratedTest, generateTests } from '../proof/explore/generate-tests.ts';
import { testedBodies } from '../proof/explore/tested-bodies.ts';
import { testText } from '../proof/workbench/test-text.ts';
import { displayPath, hasFiles } from './find-files.ts';
import { flowsToTest, libraryAround } from './flow-files.ts';
import { besideFirst, playTests } from './play-tests.ts';
import { countOf, type Terminal } from './terminal.ts';
import { testFileFor, writeTestFile } from './test-files.ts';

export interface GenerateCommandOptions {
  dryRun?: boolean;
  json?: boolean;
}

export async function writeTests(paths: string[], options: GenerateCommandOptions, terminal: Terminal): Promise<void> {
  const { flows, folders } = flowsToTest(paths);
  const results = await writeTestsOf(flows, folders, options, terminal);
  if (options.json) terminal.printJson({ flows: results });
}

/**
 * Writes tests next to each flow, except for outcomes that the tests in `folders` cover. Returns the result for
 * `--json`.
 */
export async function writeTestsOf(
  flows: readonly CompiledFlow[],
  folders: readonly string[],
  options: GenerateCommandOptions,
  terminal: Terminal,
): Promise<JsonObject[]> {
  const reports = hasFiles(folders, 'test') ? (await playTests(folders, undefined, () => undefined)).reports : [];
  const isShown = terminal.isInteractive && !options.json;
  const results: JsonObject[] = [];
  for (const flow of flows) {
    const library = libraryAround(flow.file, folders);
    const ofFile = flows.filter(({ file }) => file === flow.file);
    const { tests, unreached } = await generateTests(flow, {
      // Flows with `todo` steps are not in a library.
      flows: (wanted) => ofFile.find(({ name }) => name === wanted) ?? besideFirst(wanted, dirname(flow.file), library),
      journals: reports.map(({ journal }) => journal),
      tested: testedBodies(dirname(flow.file)),
      ...(isShown && {
        onProgress: ({ covered, total }: Progress) =>
          terminal.draw([`${flow.name}: ${covered} of ${total} outcomes reached`]),
      }),
    });
    if (isShown) terminal.draw([]);
    const written = tests.map((test) => {
      const text = testText(test.form as JsonObject);
      const file = testFileFor(stemOf(flow, test), text);
      if (!options.dryRun) writeTestFile(file, text, terminal);
      if (!options.json) printTest(file, text, options, terminal);
      return { file: displayPath(file), step: test.step, outcome: test.outcome, ...(options.dryRun && { text }) };
    });
    results.push({
      flow: flow.name,
      file: displayPath(flow.file),
      tests: written,
      unreached: unreached.map((each) => ({ ...each })),
    });
    if (options.json) continue;
    terminal.print(`${flow.name}: ${countOf(tests.length, 'test')} ${options.dryRun ? 'would be written' : 'written'}`);
    for (const { step, outcome, why } of unreached)
      terminal.print(
        terminal.style('dim', `  not reached: ${step}: ${outcome}${why === undefined ? '' : ` (${why})`}`),
      );
  }
  return results;
}

function printTest(file: string, text: string, { dryRun }: GenerateCommandOptions, terminal: Terminal): void {
  terminal.print(terminal.style('green', displayPath(file)));
  if (dryRun) terminal.print(text);
}

const stemOf = ({ file, name: flow }: CompiledFlow, { step, outcome }: GeneratedTest): string => {
  const name = basename(file).replace(/(\.flow)?\.(ya?ml|json)$/, '');
  const [, ...local] = flow.split('/');
  return join(dirname(file), [name, ...local, step, outcome].join('.').replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-'));
};
