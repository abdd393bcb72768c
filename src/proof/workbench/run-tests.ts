/** Plays the tests of a flow, saved or not, and reports their results and paths in the form of the API. */
import { basename } from 'node:path';
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import { defined, type JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { TestText } from '../../service/calls/flow-files/flow-trial.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { visitsOf } from '../testkit/coverage.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import { playScenario } from '../testkit/scenario.ts';
import { loadScenario } from '../testkit/scenario-file.ts';
import type { ScenarioFailure, ScenarioReport } from '../testkit/scenario-report.ts';
import type { JobContext } from './jobs.ts';

export type TestReport = {
  file: string;
  name: string;
  ok: boolean;
  /** Duration of the call, in virtual time. */
  duration_ms: number;
  took_ms: number;
  path: PathStep[];
  expected_path?: string[];
  failures: JsonObject[];
  diagnostics: Diagnostic[];
};

export type PathStep = { step: string; outcome?: string; at_ms: number; flow?: string };

export type TestRun = {
  reports: TestReport[];
  coverage: { steps: Record<string, number>; exits: Record<string, number> };
};

/** Plays the tests that have `filter` in their name or file name. */
export async function runTests(
  flow: CompiledFlow,
  tests: readonly TestText[],
  {
    flows,
    filter = '',
    throwIfOvertaken,
  }: { flows: FindFlow; filter?: string } & Partial<Pick<JobContext, 'throwIfOvertaken'>>,
): Promise<TestRun> {
  const reports: TestReport[] = [];
  const journals: JournalEntry[][] = [];
  for (const { file, text } of tests) {
    throwIfOvertaken?.();
    const { scenario, diagnostics } = loadScenario(text, file);
    if (!`${scenario?.name ?? ''} ${file}`.includes(filter)) continue;
    const tested = scenario && (isOf(scenario.flow, flow) ? flow : flows(scenario.flow));
    if (!scenario || !tested) {
      const unknown = scenario ? [unknownFlow(scenario.flow, file)] : [];
      reports.push(unplayed(file, scenario?.name ?? file, [...diagnostics, ...unknown]));
      continue;
    }
    const report = await playScenario(scenario, tested, { flow: flows });
    journals.push(report.journal);
    reports.push(reportOf(report, scenario.expect.path));
  }
  const { steps, outcomes } = visitsOf(flow.name, journals);
  return { reports, coverage: { steps: Object.fromEntries(steps), exits: Object.fromEntries(outcomes) } };
}

/** True if the test names the flow by its name or by its file. */
const isOf = (written: string, { name, file }: CompiledFlow): boolean =>
  written === name || basename(written) === basename(file);

function reportOf({ journal, failures, ...report }: ScenarioReport, expected: string[] | undefined): TestReport {
  return defined<TestReport>({
    file: report.file,
    name: report.name,
    ok: report.ok,
    duration_ms: report.durationMs,
    took_ms: report.tookMs,
    path: pathOf(journal),
    expected_path: expected,
    failures: failures.map((failure) => failureBody(failure, journal)),
    diagnostics: report.diagnostics,
  });
}

const unplayed = (file: string, name: string, diagnostics: Diagnostic[]): TestReport => ({
  ...{ file, name, ok: false, duration_ms: 0, took_ms: 0, path: [], failures: [], diagnostics },
});

const unknownFlow = (name: string, file: string): Diagnostic => ({
  ...{ severity: 'error', code: 'unknown-flow', message: `there is no flow ${name} that compiles` },
  ...{ file, line: 1, column: 1 },
});

/** Step runs in the order of their start; a run in another flow has the flow's name. */
export function pathOf(journal: readonly JournalEntry[]): PathStep[] {
  const startMs = journal[0]?.atMs ?? 0;
  const own = journal[0]?.kind === 'started' ? journal[0].flow : undefined;
  const runs = new Map<number, PathStep>();
  for (const entry of journal) {
    if (entry.kind === 'entered') {
      const inner = entry.flow === own ? {} : { flow: entry.flow };
      runs.set(entry.visit, { step: entry.step, at_ms: entry.atMs - startMs, ...inner });
    }
    if (entry.kind !== 'left') continue;
    const run = runs.get(entry.visit);
    if (run) run.outcome = entry.outcome;
  }
  return [...runs.values()];
}

/** Adds the step that was running at the time of the failure. */
function failureBody({ place, seq, ...failure }: ScenarioFailure, journal: readonly JournalEntry[]): JsonObject {
  const { line, column } = place;
  const entry = journal.find((each) => each.seq === seq);
  const entered = journal.findLast((each) => each.kind === 'entered' && each.seq <= (seq ?? 0));
  return defined<JsonObject>({
    ...{ line, column, ...failure, seq },
    at_ms: entry === undefined ? undefined : entry.atMs - (journal[0]?.atMs ?? 0),
    step: entered?.kind === 'entered' ? entered.step : undefined,
  });
}
