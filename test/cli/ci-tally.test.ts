/** The last line of `.ci/run`: counted from the test runner's report, and never a success by mistake. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, ROOT } from './command.ts';

const assertion = (status: string, fullName = 'is so', failureMessages: string[] = []) => ({
  ...{ status, fullName, failureMessages },
});
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
  expect(tallyOf(text)).toEqual({ line: `${line}\n`, status });
});

test('several reports are one result', () => {
  expect(tallyOf(report(12, 0), report(3, 0))).toEqual({ line: '15 passed, 0 failed\n', status: 0 });
  expect(tallyOf(report(12, 0), report(2, 1))).toEqual({ line: '14 passed, 1 failed\n', status: 1 });
  expect(tallyOf(report(12, 0), '')).toEqual({ line: '12 passed, 1 failed\n', status: 1 });
});

test('what passed at a second try is named, in one line', () => {
  const results = [assertion('passed'), assertion('passed', 'comes in time', ['Error: not yet'])];
  const again = report(2, 0, [{ status: 'passed', name: 'test/late.test.ts', assertionResults: results }]);
  const once = 'test/late.test.ts > comes in time';
  const said = `2 passed at a second try: ${once}; ${once}\n4 passed, 0 failed\n`;
  expect(tallyOf(again, again)).toEqual({ line: said, status: 0 });
});

function tallyOf(...texts: string[]): { line: string; status: number | null } {
  using folder = folderOf(Object.fromEntries(texts.map((text, index) => [`report${index}.json`, text])));
  const files = texts.map((_, index) => join(folder.path, `report${index}.json`));
  const ran = spawnSync(process.execPath, [join(ROOT, '.ci/tally.mjs'), ...files], { encoding: 'utf8' });
  return { line: ran.stdout, status: ran.status };
}
