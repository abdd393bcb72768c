import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { momentMsOf, momentOf } from '../../src/cli/moment-option.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 23, 15, 30) });
});

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['yesterday', new Date(2026, 10, 22)],
  ['today', new Date(2026, 10, 23)],
  ['2h', new Date(2026, 10, 23, 13, 30)],
  ['2026-11-01T09:30:00Z', new Date('2026-11-01T09:30:00Z')],
  ['2026-11-01', new Date('2026-11-01T00:00:00Z')],
])('%s is a moment', (written, at) => {
  expect(momentMsOf(written, '--since')).toBe(at.getTime());
});

test.each(['tomorrow', '2', '', '2026-13-45'])('%j is not accepted', (written) => {
  expect(() => momentMsOf(written, '--since')).toThrow('--since is not a date and time');
});

test('is undefined without the option', () => {
  expect(momentOf(undefined, '--since')).toBeUndefined();
});
