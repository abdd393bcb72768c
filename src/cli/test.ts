/** `callweave test`: runs scenario files in virtual time, and prints failures and coverage. */
import { writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemClock } from '../base/core/clock.ts';
import { reasonOf } from '../base/core/reason-of.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import { isInside } from '../language/flow/path-containment.ts';
import { type CoverageCount, type CoverageGap, coverageOf, type FlowCoverage } from '../proof/testkit/coverage.ts';
import type { ScenarioReport } from '../proof/testkit/scenario-report.ts';
import { formatReport } from '../proof/testkit/scenario-report.ts';
import { displayPath, isFolder } from './find-files.ts';
import { junitText } from './junit.ts';
import { percent } from './number-option.ts';
import { type PlayedTests, playTests } from './play-tests.ts';
import { countOf, fail, type Terminal, UsageError } from './terminal.ts';
import { writeTests } from './test-generate.ts';
import { testMutants } from './test-mutants.ts';
import { watchFiles } from './watch-files.ts';

const MAX_GAPS = 8;

export interface TestOptions {
  filter?: string;
  cover?: string;
  junit?: string;
  watch?: boolean;
  mutate?: boolean;
  generate?: boolean;
  dryRun?: boolean;
  require?: string;
  limit?: string;
  seed?: string;
  json?: boolean;
}

export async function test(paths: string[], options: TestOptions, terminal: Terminal): Promise<void> {
  if (options.generate) await writeTests(paths, options, terminal);
  else if (options.mutate) await testMutants(paths, options, terminal);
  else if (options.watch) await testAgainAndAgain(paths, options, terminal);
  else await testOnce(paths, options, terminal);
}

/**
 * Watch mode: runs the tests after each change below the paths, until an interrupt. Failures do not affect the exit
 * status.
 */
async function testAgainAndAgain(paths: string[], options: TestOptions, terminal: Terminal): Promise<void> {
  const shown: Terminal = { ...terminal, isInteractive: terminal.isInteractive, fail: () => undefined };
  const interrupted = Promise.withResolvers<'interrupted'>();
  const forget = terminal.onInterrupt(() => interrupted.resolve('interrupted'));
  let change = Promise.withResolvers<'changed'>();
  const unwatch = watchFiles(paths, () => change.resolve('changed'));
  try {
    do {
      change = Promise.withResolvers();
      await testOnce(paths, options, shown).catch((error: unknown) => {
        if (!(error instanceof UsageError)) throw error;
        terminal.printError(error.message);
      });
      terminal.print(terminal.style('dim', 'waiting for changes; stop with Ctrl-C'));
    } while ((await Promise.race([change.promise, interrupted.promise])) === 'changed');
  } finally {
    unwatch();
    forget();
  }
}

async function testOnce(paths: string[], options: TestOptions, terminal: Terminal): Promise<void> {
  const wanted = percent('--cover', options.cover);
  const beganMs = systemClock.now();
  const { reports, libraries } = await playTests(paths, options.filter, (report) => {
    if (!options.json) printReport(terminal, report);
  });
  if (options.junit !== undefined) writeJunit(options.junit, reports, terminal);
  const whole = options.filter === undefined ? paths.filter(isFolder).map((path) => resolve(path)) : [];
  const coverage = coverageOfAll({ reports, libraries, whole });
  const failed = reports.filter(({ ok }) => !ok).length;
  const uncovered = coverage.filter(({ outcomes }) => shareOf(outcomes) < wanted);
  if (failed > 0 || uncovered.length > 0) terminal.fail(1);
  const passed = reports.length - failed;
  if (options.json) {
    terminal.printJson({
      ok: failed === 0 && uncovered.length === 0,
      passed,
      failed,
      tests: reports.map(plain),
      coverage,
    });
    return;
  }
  printCoverage(terminal, coverage);
  for (const { flow, outcomes } of uncovered) {
    terminal.print(
      terminal.style('red', `${flow}: ${shareOf(outcomes)} % of the outcomes are covered, ${wanted} % are required`),
    );
  }
  const talkedMs = reports.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const tookMs = systemClock.now() - beganMs;
  const verdict = `${countOf(passed, 'test')} passed, ${failed} failed`;
  const time = `${(talkedMs / 60_000).toFixed(1)} minutes of calls in ${(tookMs / 1000).toFixed(1)} seconds`;
  terminal.print(`${terminal.style(failed > 0 ? 'red' : 'green', verdict)} (${time})`);
}

function writeJunit(file: string, reports: readonly ScenarioReport[], terminal: Terminal): void {
  try {
    writeFileSync(file, junitText(reports));
  } catch (error) {
    fail(terminal, 1, `the results cannot be written: ${reasonOf(error)}`);
  }
}

function printReport(terminal: Terminal, report: ScenarioReport): void {
  const { ok, file, name } = report;
  const verdict = ok ? terminal.style('green', 'ok') : terminal.style('red', 'FAILED');
  terminal.print(`${verdict} ${terminal.style('dim', displayPath(file))} ${name}`);
  if (ok) return;
  // The first line of a report is the name of its test.
  for (const line of formatReport(report).split('\n').slice(1)) terminal.print(line);
  terminal.print();
}

/**
 * Coverage of the flows that a test reaches. In the folders `whole`, also of the flows next to the tests: a flow without
 * a test must not be overlooked.
 */
function coverageOfAll({
  reports,
  libraries,
  whole,
}: Pick<PlayedTests, 'reports' | 'libraries'> & { whole: readonly string[] }): FlowCoverage[] {
  const flows = new Map<string, CompiledFlow>();
  const keyOf = ({ file, name }: CompiledFlow): string => `${file} ${name}`;
  for (const { flow } of reports) if (flow) flows.set(keyOf(flow), flow);
  const journals = reports.map(({ journal }) => journal);
  const reached = new Set(journals.flat().flatMap((entry) => (entry.kind === 'entered' ? [entry.flow] : [])));
  for (const [folder, library] of libraries) {
    const isWhole = whole.some((each) => isInside(resolve(folder), each));
    for (const name of library.names()) {
      const flow = library.get(name)!;
      if (dirname(flow.file) === folder && (isWhole || reached.has(name))) flows.set(keyOf(flow), flow);
    }
  }
  return [...flows.values()]
    .map((flow) => coverageOf(flow, journals))
    .map((coverage) => ({ ...coverage, file: displayPath(coverage.file) }))
    .sort((a, b) => a.file.localeCompare(b.file) || a.flow.localeCompare(b.flow));
}

function printCoverage(terminal: Terminal, coverage: readonly FlowCoverage[]): void {
  const width = Math.max(...coverage.map(({ flow }) => flow.length), 'coverage'.length);
  terminal.print();
  terminal.print(
    terminal.style('bold', `${'coverage'.padEnd(width)}  ${'steps'.padStart(7)}  ${'outcomes'.padStart(8)}`),
  );
  for (const { flow, steps, outcomes, missing } of coverage) {
    terminal.print(`${flow.padEnd(width)}  ${fraction(steps).padStart(7)}  ${fraction(outcomes).padStart(8)}`);
    const gaps = missing.slice(0, MAX_GAPS).map(nameOf);
    if (missing.length > gaps.length) gaps.push(`${missing.length - gaps.length} more`);
    if (gaps.length > 0) terminal.print(terminal.style('dim', `  not covered: ${gaps.join(', ')}`));
  }
  if (coverage.some(({ missing }) => missing.length > 0))
    terminal.print(
      terminal.style('dim', `write tests for reachable outcomes with \`${terminal.program} test --generate\``),
    );
  terminal.print();
}

function nameOf(gap: CoverageGap): string {
  switch (gap.kind) {
    case 'step':
      return `${gap.step} (line ${gap.place.line})`;
    case 'outcome':
      return `${gap.step}: ${gap.outcome} (line ${gap.place.line})`;
    case 'interrupt':
      return `event ${gap.interrupt}`;
  }
}

const fraction = ({ covered, total }: CoverageCount): string => `${covered}/${total}`;

const shareOf = ({ covered, total }: CoverageCount): number =>
  total === 0 ? 100 : Math.floor((100 * covered) / total);

/** Report for `--json`. The journal is only included for failures. */
function plain({ flow: _, journal, ...report }: ScenarioReport) {
  return { ...report, file: displayPath(report.file), ...(report.ok ? {} : { journal }) };
}
