import { describe, expect, it } from 'vitest';
import type { TestReportData } from '../../../src/pages/studio/web/tests/test-run.ts';
import { hasOnlyNewTimes, withNewTimes } from '../../../src/pages/studio/web/tests/test-times.ts';

const failed = (...failures: TestReportData['failures']): TestReportData => ({
  ...{ file: 'a.test.yaml', name: 'a', ok: false, duration_ms: 9000, path: [] },
  failures,
});
const time = { what: 'the duration', expected: '9s', actual: '10.5s', line: 3 };

describe('new times', () => {
  it('recognises a test that only differs in the duration of the call', () => {
    expect(hasOnlyNewTimes(failed(time))).toBe(true);
    expect(hasOnlyNewTimes(failed(time, { what: 'the path', expected: 'a', actual: 'b', line: 2 }))).toBe(false);
    expect(hasOnlyNewTimes(failed({ ...time, expected: '1s to 2s' }))).toBe(false);
    expect(hasOnlyNewTimes(failed())).toBe(false);
  });

  it('replaces the written duration, and keeps the remark after it', () => {
    const text = 'test: a\nexpect:\n  duration: 9s # twice 4 s\n  ended: hangup\n';
    expect(withNewTimes(text, [time])).toBe(text.replace('9s', '10.5s'));
    const short = 'test: a\nflow: b\nexpect: { path: [x], duration: 1m9s }\n';
    expect(withNewTimes(short, [time])).toBe('test: a\nflow: b\nexpect: { path: [x], duration: 10.5s }\n');
  });
});
