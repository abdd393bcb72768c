/**
 * Runs the tests named on the command line, each with the flows of its folder. Used by `test.ts` and `test-mutants.ts`.
 */
import { dirname } from 'node:path';
import type { JsonObject } from '../base/core/json.ts';
import type { CompiledFlow } from '../language/flow/compiled-flow.ts';
import type { FlowLibrary } from '../language/flow/flow-library.ts';
import { isInside } from '../language/flow/path-containment.ts';
import { playScenarioFile } from '../proof/testkit/scenario.ts';
import type { ScenarioReport } from '../proof/testkit/scenario-report.ts';
import { displayPath, findFiles } from './find-files.ts';
import { libraryAround, libraryOf } from './flow-files.ts';
import { UsageError } from './terminal.ts';

export interface PlayedTests {
  reports: ScenarioReport[];
  /** Libraries of flows by test folder. */
  libraries: ReadonlyMap<string, FlowLibrary>;
}

export async function playTests(
  paths: readonly string[],
  filter: string | undefined,
  onReport: (report: ScenarioReport) => void,
): Promise<PlayedTests> {
  const files = findFiles(paths, 'test');
  const libraries = new Map(files.map((file) => [dirname(file), libraryAround(file, paths)]));
  const reports: ScenarioReport[] = [];
  for (const file of files) {
    const library = libraries.get(dirname(file))!;
    const report = await playScenarioFile(file, {
      flow: (flow) => besideFirst(flow, dirname(file), library),
      library: () => library,
    });
    if (filter !== undefined && !`${report.name} ${displayPath(file)}`.includes(filter)) continue;
    reports.push(report);
    onReport(report);
  }
  if (reports.length === 0) throw new UsageError(`no test matches ${filter} in its name or file`);
  return { reports, libraries };
}

/** If several flows have the same name, as in examples, a test uses the one in its folder. */
export function besideFirst(flow: string | JsonObject, folder: string, library: FlowLibrary): CompiledFlow | undefined {
  const found = library.find(flow);
  if (typeof flow !== 'string' || found === undefined || isInside(dirname(found.file), folder)) return found;
  return libraryOf(folder).get(flow) ?? found;
}
