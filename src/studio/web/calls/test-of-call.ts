/** A call as the text of a test of its flow: the service writes it, plays it on the flow of today, and saves nothing. */
import { request } from '../api.ts';
import type { TestReport } from '../tests/test-run.ts';

export interface TestOfCall {
  text: string;
  /** What is masked in the journal, by its place in the test. */
  to_fill: string[];
  /** What the test does not have of the call. */
  lacks: string[];
  report: Pick<TestReport, 'ok' | 'failures' | 'path' | 'expected_path'>;
}

export const testOfCall = (flow: string, id: string, title?: string): Promise<TestOfCall> =>
  request<TestOfCall>(`/admin/v1/flows/${encodeURIComponent(flow)}/tests/take-over`, {
    method: 'POST',
    json: { voice_id: id, test: title },
  });
