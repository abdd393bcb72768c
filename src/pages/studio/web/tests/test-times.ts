/**
 * Durations of calls in tests. They change with the words of prompts, so that a test that only differs in them may take
 * over the new ones.
 */

import { t } from '../../../shared/web/words/translate.ts';
import { readTests, type TestFailure, type TestReportData, writeTest } from './test-run.ts';

/** Name of the failure in a report. */
const DURATION = t('the duration');
const WRITTEN = /(\bduration:\s*)([\d.]+(?:ms|s|m|h))+/;

const isNewTime = ({ what, expected, line }: TestFailure): boolean =>
  what === DURATION && line !== undefined && !expected.includes(' to ');

/** True if the test fails, and nothing but the duration of the call differs. */
export const hasOnlyNewTimes = ({ failures, diagnostics = [] }: TestReportData): boolean =>
  failures.length > 0 && diagnostics.length === 0 && failures.every(isNewTime);

/** Text of a test with the duration that was measured. */
export function withNewTimes(text: string, failures: readonly TestFailure[]): string {
  const lines = text.split('\n');
  for (const { line, actual } of failures) {
    const at = line! - 1;
    if (lines[at] !== undefined) lines[at] = lines[at].replace(WRITTEN, `$1${actual}`);
  }
  return lines.join('\n');
}

/** Writes the measured durations to the tests of a flow. */
export async function takeNewTimes(flow: string, reports: readonly TestReportData[]): Promise<void> {
  const tests = await readTests(flow);
  for (const { file, failures } of reports) {
    const test = tests.find((each) => each.file === file);
    if (test !== undefined) await writeTest(flow, file, withNewTimes(test.text, failures), test.etag);
  }
}
