/** Plain filters that write the text of the filter, results in words, and the table for spreadsheets. */
import { describe, expect, it } from 'vitest';
import { causeOf } from '../../../src/base/core/causes.ts';
import type { CallRow } from '../../../src/pages/studio/web/call-rows/call-row.ts';
import { csvOf } from '../../../src/pages/studio/web/calls/calls-csv.ts';
import { dayOf, readFilter } from '../../../src/pages/studio/web/calls/filter.ts';
import { chosenOf, termValue, withChosen, withValue } from '../../../src/pages/studio/web/calls/filter-terms.ts';
import { resultWords } from '../../../src/pages/studio/web/journal/result-words.ts';

const call = (more: Partial<CallRow> = {}): CallRow => ({
  ...{ id: 'a1', direction: 'in', from: '+33612345678', to: '1000', flow: 'menu', state: 'success' },
  ...{ startedMs: Date.parse('2026-11-30T10:00:00Z'), endedMs: Date.parse('2026-11-30T10:01:05Z') },
  ...{ cause: 'Normal Clearing', mos: 4.4, isRecorded: false },
  ...more,
});
const finds = (text: string, row: CallRow): boolean => {
  const filter = readFilter(text);
  expect(filter.problems).toEqual([]);
  return filter.test(row, row.endedMs!);
};

describe('plain filter', () => {
  it('writes its term into the text, and keeps the other terms', () => {
    const text = withValue('from:+33 flow:menu -is:live', 'flow', 'night line');
    expect(text).toBe('from:+33 flow:"night line" -is:live');
    expect(termValue(text, 'flow')).toBe('night line');
    expect(withValue(text, 'flow', '')).toBe('from:+33 -is:live');
  });

  it('keeps both ends of a range of days apart', () => {
    const from = withValue('', 'day', '2026-11-01', '>=');
    const range = withValue(from, 'day', '2026-11-30', '<=');
    expect(range).toBe('day>=2026-11-01 day<=2026-11-30');
    expect([termValue(range, 'day', '>='), termValue(range, 'day', '<='), termValue(range, 'day')]).toEqual([
      ...['2026-11-01', '2026-11-30'],
      '',
    ]);
  });

  it('replaces one of several terms by another', () => {
    const among = ['is:live', 'cause:busy'];
    const text = withChosen('from:+33', among, 'is:live');
    expect(withChosen(text, among, 'cause:busy')).toBe('from:+33 cause:busy');
    expect(chosenOf(text, among)).toBe('is:live');
    expect(withChosen(text, among, '')).toBe('from:+33');
  });
});

describe('filter by day', () => {
  const today = dayOf(call().startedMs);

  it.each([
    [`day:${today}`, true],
    [`day>=${today} day<=${today}`, true],
    ['day>2026-12-01', false],
    ['day<2026-11-01', false],
  ])('finds a call of this day by `%s`: %j', (text, isFound) => {
    expect(finds(text, call())).toBe(isFound);
  });

  it('names the expected form of a day', () => {
    expect(readFilter('day:monday').problems[0]!.message).toBe('day takes a date, as in day>=2026-11-30');
  });
});

describe('result of a call', () => {
  it('has words of its own for each cause', () => {
    const reasons = Array.from({ length: 128 }, (_, code) => causeOf(code).reason);
    const plain = [...new Set(reasons)].filter((reason) => resultWords(reason) === reason);
    expect(plain).toEqual([]);
  });

  it('is found by its plain words and by the words of the API', () => {
    expect(finds('cause:"hung up"', call())).toBe(true);
    expect(finds('cause:"normal clearing"', call())).toBe(true);
    expect(finds('cause:busy', call())).toBe(false);
  });
});

describe('table of calls for spreadsheets', () => {
  it('has a row for each call, with plain results', () => {
    expect(csvOf([call()])).toBe(
      'started,ended,seconds,direction,from,to,flow,result,quality,id\r\n' +
        '2026-11-30T10:00:00.000Z,2026-11-30T10:01:05.000Z,65.0,inbound,+33612345678,1000,menu,Hung up (normal),4.4,a1\r\n',
    );
  });

  it('quotes separators, and disarms formulas in names of callers', () => {
    const [, row] = csvOf([call({ from: '=HYPERLINK("x")', to: 'a,b', cause: '+cmd' })]).split('\r\n');
    expect(row).toContain('"\'=HYPERLINK(""x"")","a,b"');
    expect(row).toContain("'+cmd");
  });
});
