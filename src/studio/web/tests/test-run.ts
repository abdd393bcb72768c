/** The tests of a flow as files, and what came of them. Neighbour: `test-session.ts` runs them one after another. */
import { request } from '../api.ts';
import { quoted } from '../flows/flow-api.ts';

export interface TestFile {
  file: string;
  name: string;
  text: string;
  etag: string;
}

export interface TestReport {
  file: string;
  name: string;
  ok: boolean;
  /** Of the call, in virtual time. */
  duration_ms: number;
  took_ms?: number;
  path: PathStep[];
  expected_path?: string[];
  failures: TestFailure[];
  /** The test cannot be read. */
  diagnostics?: { message: string; line?: number; hint?: string }[];
}

export interface PathStep {
  step: string;
  outcome?: string;
  at_ms: number;
  /** Another flow that the call ran; absent: the flow of the test. */
  flow?: string;
}

export interface TestFailure {
  what: string;
  expected: string;
  actual: string;
  line?: number;
  /** The step that was running where it shows. */
  step?: string;
}

export interface Coverage {
  steps: Readonly<Record<string, number>>;
  exits: Readonly<Record<string, number>>;
}

export interface TestRun {
  reports: TestReport[];
  coverage: Coverage;
}

const pathOf = (flow: string, file?: string): string =>
  `/admin/v1/flows/${encodeURIComponent(flow)}/tests${file === undefined ? '' : `/${encodeURIComponent(file)}`}`;

export const readTests = async (flow: string): Promise<TestFile[]> =>
  (await request<{ tests: TestFile[] }>(pathOf(flow))).tests;

/** `text`: of the flow, not saved yet; `filter`: the file to run, all without it. */
export const runTests = (
  flow: string,
  { text, filter }: { text?: string; filter?: string },
  signal?: AbortSignal,
): Promise<TestRun> => request<TestRun>(`${pathOf(flow)}/run`, { method: 'POST', json: { text, filter }, signal });

/** Without an etag the file is a new one. */
export const writeTest = (flow: string, file: string, text: string, etag?: string): Promise<unknown> =>
  request(pathOf(flow, file), {
    method: 'PUT',
    json: { text },
    headers: etag === undefined ? { 'if-none-match': '*' } : { 'if-match': quoted(etag) },
  });

export const deleteTest = (flow: string, file: string, etag: string): Promise<unknown> =>
  request(pathOf(flow, file), { method: 'DELETE', headers: { 'if-match': quoted(etag) } });
