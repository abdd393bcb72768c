/** The last line of `.ci/run`: counted from the test runner's report, and never a success by mistake. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, ROOT } from './command.ts';

const assertion = (status: string) => ({ status });
const report = (passed: number, failed: number, testResults: object[] = [], success = failed === 0) =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, success, testResults });

test.each([
  ['all passed', report(12, 0), '12 passed, 0 failed', 0],
  [
    'some failed',
    report(10, 2, [{ status: 'failed', assertionResults: [assertion('failed')] }]),
    '10 passed, 2 failed',
    1,
  ],
  [
    'a file that could not be run',
    report(10, 0, [{ status: 'failed', assertionResults: [] }], false),
    '10 passed, 1 failed',
    1,
  ],
  ['an error outside of any test', report(10, 0, [], false), '10 passed, 1 failed', 1],
  ['nothing was run', report(0, 0), '0 passed, 0 failed', 1],
  ['no report', '', '0 passed, 1 failed', 1],
])('%s', (_, text, line, status) => {
  using folder = folderOf({ 'report.json': text });
  const ran = spawnSync(process.execPath, [join(ROOT, '.ci/tally.mjs'), join(folder.path, 'report.json')], {
    encoding: 'utf8',
  });
  expect(ran.stdout).toBe(`${line}\n`);
  expect(ran.status).toBe(status);
});
