import { describe, expect, it } from 'vitest';
import { type CallRow, callRowOf } from '../../../src/pages/studio/web/call-rows/call-row.ts';
import { readFilter } from '../../../src/pages/studio/web/calls/filter.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const call = (more: Partial<CallRow> = {}): CallRow => ({
  id: 'a1b2',
  direction: 'in',
  from: '+33612345678',
  to: '1000',
  flow: 'order-status',
  step: 'menu_orders',
  state: 'connected',
  startedMs: NOW - 45_000,
  isRecorded: false,
  ...more,
});
const ended = call({ endedMs: NOW - 5000, step: undefined, cause: 'User Busy', mos: 3.1, direction: 'out' });

describe('filter of the call list', () => {
  it.each([
    ['', call(), true],
    ['step:menu for>30s from:+33', call(), true],
    ['step:menu for>1m', call(), false],
    ['for>=45', call(), true],
    ['for<0.5m', call(), false],
    ['for>39s', ended, true],
    ['for>41s', ended, false],
    ['ago<1h', call(), true],
    ['from:33612', call(), true],
    ['order', call(), true],
    ['-order', call(), false],
    ['-step:menu', ended, true],
    ['is:live', call(), true],
    ['is:live', ended, false],
    ['IS:ENDED', ended, true],
    ['cause:"user busy"', ended, true],
    ['"user busy"', ended, true],
    ['quality<3.5', ended, true],
    ['quality<3.5', call(), false],
    ['direction:out', ended, true],
    ['-is:recorded', call(), true],
    ['flow:order-status to:1000 id:a1', call(), true],
  ])('filters calls by `%s`', (text, row, isFound) => {
    const filter = readFilter(text);
    expect(filter.problems).toEqual([]);
    expect(filter.test(row, NOW)).toBe(isFound);
  });

  it.each([
    ['step:menu stepp:x', 10, 17, 'there is no stepp'],
    ['for>soon', 0, 8, 'for takes a time'],
    ['for:30s', 0, 7, 'for is compared'],
    ['is:alive', 0, 8, 'is is one of live, ended, or recorded'],
    ['is:constructor', 0, 14, 'is is one of'],
    ['from>3', 0, 6, 'from takes ":"'],
    ['step:', 0, 5, 'step: has no value'],
    ['quality>good', 0, 12, 'quality takes a number'],
  ])('reports the error in `%s`, and the rest still filters', (text, from, to, words) => {
    const filter = readFilter(text);
    expect(filter.problems).toEqual([{ from, to, message: expect.stringContaining(words) }]);
    expect(filter.terms).toBe(text.split(' ').length - 1);
    expect(filter.test(call(), NOW)).toBe(true);
  });
});

it('creates a row from a record, also from an empty one', () => {
  expect(
    callRowOf({
      voice_id: 'x',
      direction: 'Outbound',
      from: '1',
      to: '2',
      flow: 'f',
      state: 'disconnected',
      started: '2026-03-02T08:59:00Z',
      ended: '2026-03-02T09:00:00Z',
      disconnect_reason: 'Normal Clearing',
      quality: { mos: 4.2 },
      recordings: [{}],
    }),
  ).toEqual({
    id: 'x',
    direction: 'out',
    from: '1',
    to: '2',
    flow: 'f',
    state: 'disconnected',
    startedMs: NOW - 60_000,
    endedMs: NOW,
    cause: 'Normal Clearing',
    mos: 4.2,
    isRecorded: true,
  });
  expect(callRowOf({})).toMatchObject({ id: '', startedMs: 0, isRecorded: false });
});
