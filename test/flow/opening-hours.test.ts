/** Opening hours on the night on which clocks are put back. */
import { describe, expect, it } from 'vitest';
import { stateAt } from '../../src/language/flow/opening-hours.ts';

describe.each([
  // 25 October 2026: 03:00 CEST is 02:00 CET again.
  ['Europe/Paris', '2026-10-25T00:00:00Z', 60],
  // 5 April 2026: 02:00 is 01:30 again.
  ['Australia/Lord_Howe', '2026-04-04T14:30:00Z', 30],
])('in %s', (timezone, start, shift) => {
  const startMs = Date.parse(start);
  const local = (ms: number) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit', minute: '2-digit' }).format(ms);
  /** Spans of minutes from `start` in which it is open. */
  const spans = (from: string, to: string): [number, number][] => {
    const found: [number, number][] = [];
    for (let minute = 0; minute < 240; minute += 1) {
      const isOpen = stateAt({ timezone, open: [{ from, to }] }, startMs + minute * 60_000) === 'open';
      if (!isOpen) continue;
      const last = found.at(-1);
      if (last?.[1] === minute) last[1] = minute + 1;
      else found.push([minute, minute + 1]);
    }
    return found;
  };
  const at = (minute: number) => local(startMs + minute * 60_000);

  it('repeats a part of the day', () => {
    expect(at(shift)).toBe(at(0));
  });

  it('opens once for an opening within the doubled part', () => {
    expect(spans(at(10), at(20))).toEqual([[10, 20]]);
  });

  it('stays open from the first time on', () => {
    expect(spans(at(10), '04:00')).toHaveLength(1);
    expect(spans(at(10), '04:00')[0]![0]).toBe(10);
  });

  it('closes the first time', () => {
    expect(spans('00:00', at(20))).toEqual([[0, 20]]);
  });
});

it('opens as written on all other days', () => {
  const hours = { timezone: 'Europe/Paris', open: [{ from: '02:10', to: '02:20' }] };
  expect(stateAt(hours, Date.parse('2026-10-24T00:15:00Z'))).toBe('open');
  expect(stateAt(hours, Date.parse('2026-10-24T01:15:00Z'))).toBe('closed');
});
