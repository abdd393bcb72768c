/** Client for the tests of a flow: files, runs and reports. Used by `test-session.ts`. */
import { request } from '../api.ts';
import { quoted } from '../flow-api.ts';

export interface TestFileData {
  file: string;
  name: string;
  text: string;
  etag: string;
}

export interface TestReportData {
  file: string;
  name: string;
  ok: boolean;
  /** Duration of the call in virtual time. */
  duration_ms: number;
  took_ms?: number;
  path: TestedStep[];
  expected_path?: string[];
  failures: TestFailure[];
  /** Present if the test is invalid. */
  diagnostics?: { message: string; line?: number; hint?: string }[];
}

export interface TestedStep {
  step: string;
  outcome?: string;
  at_ms: number;
  /** Flow of the step, if it is not the flow of the test. */
  flow?: string;
}

export interface TestFailure {
  what: string;
  expected: string;
  actual: string;
  line?: number;
  /** Step that was running at the failure. */
  step?: string;
}

export interface Coverage {
  steps: Readonly<Record<string, number>>;
  exits: Readonly<Record<string, number>>;
}

export interface TestRunData {
  reports: TestReportData[];
  coverage: Coverage;
}

const pathOf = (flow: string, file?: string): string =>
  `/admin/v1/flows/${encodeURIComponent(flow)}/tests${file === undefined ? '' : `/${encodeURIComponent(file)}`}`;

export const readTests = async (flow: string): Promise<TestFileData[]> =>
  (await request<{ tests: TestFileData[] }>(pathOf(flow))).tests;

/** `text`: unsaved text of the flow. `filter`: file to run; without it, all files are run. `tests`: unsaved tests. */
export const runTests = (
  flow: string,
  order: { text?: string | undefined; filter?: string; tests?: Readonly<Record<string, string>> },
  signal?: AbortSignal,
): Promise<TestRunData> => request<TestRunData>(`${pathOf(flow)}/run`, { method: 'POST', json: order, signal });

/** Runs the text of one test on the flow, saved or not. */
export async function tryTest(
  flow: string,
  test: { file: string; text: string; flowText: string | undefined },
): Promise<TestReportData> {
  const order = { text: test.flowText, filter: test.file, tests: { [test.file]: test.text } };
  const { reports } = await runTests(flow, order);
  return reports.find(({ file }) => file === test.file)!;
}

/** Without `etag`, creates a file. */
export const writeTest = (flow: string, file: string, text: string, etag?: string): Promise<unknown> =>
  request(pathOf(flow, file), {
    method: 'PUT',
    json: { text },
    headers: etag === undefined ? { 'if-none-match': '*' } : { 'if-match': quoted(etag) },
  });

export const deleteTest = (flow: string, file: string, etag: string): Promise<unknown> =>
  request(pathOf(flow, file), { method: 'DELETE', headers: { 'if-match': quoted(etag) } });
