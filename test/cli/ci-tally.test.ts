/** Last line of `.ci/run`: counted from the report of the test runner, and never a success by mistake. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOf, ROOT } from './command.ts';

const NAME = 'test/late.test.ts';
/** Report of one file with these numbers of passed and failed tests. */
const report = (passed: number, failed: number, { name = NAME, success = failed === 0 } = {}) => {
  const test = (status: string) => ({ status, fullName: `is ${status}` });
  const assertionResults = [...Array(passed).fill(test('passed')), ...Array(failed).fill(test('failed'))];
  return JSON.stringify({
    success,
    testResults: [{ name, status: failed > 0 ? 'failed' : 'passed', assertionResults }],
  });
};
const notRun = JSON.stringify({
  success: false,
  testResults: [{ name: NAME, status: 'failed', assertionResults: [] }],
});

test.each([
  ['all passed', report(12, 0), '12 passed, 0 failed', 0],
  ['some failed', report(10, 2), '10 passed, 2 failed', 1],
  ['a file that could not be run', notRun, '0 passed, 1 failed', 1],
  ['an error outside of any test', report(10, 0, { success: false }), '10 passed, 1 failed', 1],
  ['nothing was run', JSON.stringify({ success: true, testResults: [] }), '0 passed, 1 failed', 1],
  ['no report', '', '0 passed, 1 failed', 1],
])('counts results and status: %s', (_, text, line, status) => {
  expect(tallyOf({ 'test.json': text })).toEqual({ line: `${line}\n`, status });
});

test('merges several reports into one result', () => {
  const of = (second: string) => tallyOf({ 'test.json': report(12, 0), 'browser.json': second });
  expect(of(report(3, 0))).toEqual({ line: '15 passed, 0 failed\n', status: 0 });
  expect(of(report(2, 1))).toEqual({ line: '14 passed, 1 failed\n', status: 1 });
  expect(of('')).toEqual({ line: '12 passed, 1 failed\n', status: 1 });
});

describe('a file that was run again', () => {
  const of = (again: string) => tallyOf({ 'test.json': report(3, 1), 'test.again.json': again });

  test('counts as it was at last, and what it was for is named in one line', () => {
    const said = `1 needed a second try: ${NAME} > is failed\n4 passed, 0 failed\n`;
    expect(of(report(4, 0))).toEqual({ line: said, status: 0 });
    expect(of(report(2, 2))).toMatchObject({ line: expect.stringContaining('2 passed, 2 failed'), status: 1 });
  });

  test('counts as failed if its second report is missing or is of another file', () => {
    expect(of('')).toEqual({ line: '3 passed, 1 failed\n', status: 1 });
    expect(of(report(4, 0, { name: 'test/other.test.ts' }))).toEqual({ line: '3 passed, 1 failed\n', status: 1 });
  });
});

test('names the files that failed, unless they are too many', () => {
  const of = (count: number): string => {
    const testResults = Array.from({ length: count }, (_, at) => ({
      name: join(ROOT, `${at}.test.ts`),
      status: 'failed',
    }));
    const passed = { name: join(ROOT, 'good.test.ts'), status: 'passed' };
    using folder = folderOf({ 'test.json': JSON.stringify({ testResults: [passed, ...testResults] }) });
    return run('failed-files', join(folder.path, 'test.json')).stdout;
  };
  expect(of(2)).toBe('0.test.ts\n1.test.ts\n');
  expect([of(0), of(9), run('failed-files', '/nowhere.json').stdout]).toEqual(['', '', '']);
});

const run = (script: string, ...files: string[]) =>
  spawnSync(process.execPath, [join(ROOT, `.ci/${script}.mjs`), ...files], { cwd: ROOT, encoding: 'utf8' });

/** Second reports are found beside the first ones. */
function tallyOf(texts: Record<string, string>): { line: string; status: number | null } {
  using folder = folderOf(texts);
  const firsts = Object.keys(texts).filter((name) => !name.endsWith('.again.json'));
  const { stdout: line, status } = run('tally', ...firsts.map((name) => join(folder.path, name)));
  return { line, status };
}
