/** Requests a test generated from a call. The service runs it on the current flow and saves nothing. */
import { request } from '../api.ts';
import type { TestReportData } from '../tests/test-run.ts';

export interface TestOfCall {
  text: string;
  /** Masked values that the user must fill in, as paths in the test. */
  to_fill: string[];
  /** Parts of the call that the test does not reproduce. */
  lacks: string[];
  report: Pick<TestReportData, 'ok' | 'failures' | 'path' | 'expected_path'>;
}

export const testOfCall = (flow: string, id: string, title?: string): Promise<TestOfCall> =>
  request<TestOfCall>(`/admin/v1/flows/${encodeURIComponent(flow)}/tests/take-over`, {
    method: 'POST',
    json: { voice_id: id, test: title },
  });
