import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { stateAt } from '../../src/language/flow/opening-hours.ts';
import { startSteps } from './scripted-call.ts';

const at = (hours: JsonObject, when: string) => stateAt(hours, Date.parse(when));

const office: JsonObject = {
  timezone: 'Europe/Paris',
  open: [
    { days: 'mon-fri', from: '09:00', to: '12:30' },
    { days: ['mon-thu'], from: '14:00', to: '18:00' },
    { days: ['sat', 'sun'], from: '10:00', to: '11:00' },
  ],
  holidays: ['2026-12-25', { date: '2026-05-01', name: 'Labour Day' }],
};

describe('a schedule', () => {
  it.each([
    // 2026-03-02 is a Monday; Paris is at +01:00.
    ['2026-03-02T08:59:59.999+01:00', 'closed'],
    ['2026-03-02T09:00:00+01:00', 'open'],
    ['2026-03-02T12:29:59+01:00', 'open'],
    ['2026-03-02T12:30:00+01:00', 'closed'],
    ['2026-03-02T14:00:00+01:00', 'open'],
    ['2026-03-06T14:00:00+01:00', 'closed'],
    ['2026-03-07T09:30:00+01:00', 'closed'],
    ['2026-03-07T10:30:00+01:00', 'open'],
    ['2026-03-08T10:30:00+01:00', 'open'],
    ['2026-03-02T08:30:00Z', 'open'],
    ['2026-12-25T10:00:00+01:00', 'holiday'],
    ['2026-05-01T00:00:00+02:00', 'holiday'],
    ['2026-04-30T23:59:59+02:00', 'closed'],
    ['2026-05-01T23:59:59+02:00', 'holiday'],
    ['2026-05-02T00:00:00+02:00', 'closed'],
  ])('is for %s in state %s', (when, state) => {
    expect(at(office, when)).toBe(state);
  });

  it.each([
    ['UTC', '2026-03-02T23:30:00Z', 'closed'],
    ['Asia/Tokyo', '2026-03-02T23:30:00Z', 'closed'],
    ['Asia/Tokyo', '2026-03-03T00:30:00Z', 'open'],
    ['America/New_York', '2026-03-02T14:30:00Z', 'open'],
    ['Asia/Kathmandu', '2026-03-02T03:15:00Z', 'open'],
    ['Asia/Kathmandu', '2026-03-02T03:14:00Z', 'closed'],
    ['Pacific/Kiritimati', '2026-03-01T19:00:00Z', 'open'],
  ])('uses the zone %s: at %s is %s', (timezone, when, state) => {
    expect(at({ timezone, open: [{ days: 'mon-fri', from: '09:00', to: '17:00' }] }, when)).toBe(state);
  });

  it('is in UTC and on every day by default', () => {
    expect(at({ open: [{ from: '09:00', to: '10:00' }] }, '2026-03-08T09:30:00Z')).toBe('open');
    expect(at({ open: [] }, '2026-03-08T09:30:00Z')).toBe('closed');
  });

  it('is open until midnight, and around the clock', () => {
    const late: JsonObject = { open: [{ days: 'mon', from: '20:00', to: '24:00' }] };
    expect(at(late, '2026-03-02T23:59:59Z')).toBe('open');
    expect(at(late, '2026-03-03T00:00:00Z')).toBe('closed');
    const always: JsonObject = { open: [{ from: '00:00', to: '24:00' }] };
    expect(at(always, '2026-03-03T00:00:00Z')).toBe('open');
    expect(at(always, '2026-03-03T23:59:59Z')).toBe('open');
  });

  describe('past midnight', () => {
    const bar: JsonObject = {
      timezone: 'Europe/Paris',
      open: [{ days: 'thu-sat', from: '20:00', to: '04:00' }],
      holidays: ['2026-12-25'],
    };
    it.each([
      ['2026-03-05T03:00:00+01:00', 'closed'],
      ['2026-03-05T20:00:00+01:00', 'open'],
      ['2026-03-06T03:59:00+01:00', 'open'],
      ['2026-03-06T04:00:00+01:00', 'closed'],
      ['2026-03-08T03:59:00+01:00', 'open'],
      ['2026-03-08T20:00:00+01:00', 'closed'],
      // The opening of Thursday the 24th extends past midnight, but a holiday lasts all day and has no opening hours.
      ['2026-12-24T23:00:00+01:00', 'open'],
      ['2026-12-25T01:00:00+01:00', 'holiday'],
      ['2026-12-26T01:00:00+01:00', 'closed'],
      ['2026-12-26T21:00:00+01:00', 'open'],
    ])('is for %s in state %s', (when, state) => {
      expect(at(bar, when)).toBe(state);
    });
  });

  describe('when the clocks change', () => {
    // Paris: 2026-03-29 02:00 → 03:00, and 2026-10-25 03:00 → 02:00.
    const night: JsonObject = { timezone: 'Europe/Paris', open: [{ from: '02:15', to: '02:45' }] };
    it.each([
      ['spring: the hour is not there', '2026-03-29T00:59:00Z', 'closed'],
      ['spring: the hour is not there', '2026-03-29T01:00:00Z', 'closed'],
      ['spring: the hour is not there', '2026-03-29T01:30:00Z', 'closed'],
      ['autumn: the hour, the first time', '2026-10-25T00:30:00Z', 'open'],
      ['autumn: between', '2026-10-25T00:50:00Z', 'closed'],
      ['autumn: the hour, the second time', '2026-10-25T01:30:00Z', 'closed'],
      ['autumn: after', '2026-10-25T01:46:00Z', 'closed'],
    ])('%s: %s is %s', (_name, when, state) => {
      expect(at(night, when)).toBe(state);
    });

    it.each([
      ['2026-03-27T08:00:00Z', 'open'],
      ['2026-03-27T07:00:00Z', 'closed'],
      ['2026-03-30T07:00:00Z', 'open'],
      ['2026-10-26T07:00:00Z', 'closed'],
      ['2026-10-26T08:00:00Z', 'open'],
    ])('office hours move with them: %s is %s', (when, state) => {
      expect(at(office, when)).toBe(state);
    });
  });

  it.each([
    ['mon-fri', '0111110'],
    ['fri-mon', '1100011'],
    ['sat-sun', '1000001'],
    ['sun-sat', '1111111'],
    ['mon-mon', '0100000'],
    [['mon', 'wed', 'fri'], '0101010'],
    [['mon-tue', 'sun'], '1110000'],
    ['sun', '1000000'],
  ])('knows the days %s', (days, expected) => {
    const hours: JsonObject = { open: [{ days: days as string, from: '00:00', to: '24:00' }] };
    const week = Array.from({ length: 7 }, (_, day) => at(hours, `2026-03-0${day + 1}T12:00:00Z`));
    expect(week.map((state) => (state === 'open' ? '1' : '0')).join('')).toBe(expected);
  });
});

describe('schedule', () => {
  const asked = (args: string, options: Parameters<typeof startSteps>[1] = {}) =>
    startSteps(`  first: { schedule: ${args}, exits: { open: bye, closed: bye, holiday: bye } }`, options);

  it('uses a schedule of the flow by its name', async () => {
    const call = await asked('office', { head: 'schedules: { office: { open: [{ from: "08:00", to: "09:00" }] } }' });
    expect(call.outcomes()[0]).toBe('first:open');
  });

  it('uses one of the configuration, unless the flow has one of that name', async () => {
    const spec = { schedules: { office: { open: [] } } };
    expect((await asked('office', { spec })).outcomes()[0]).toBe('first:closed');
    const head = 'schedules: { office: { open: [{ from: "08:00", to: "09:00" }] } }';
    expect((await asked('office', { spec, head })).outcomes()[0]).toBe('first:open');
  });

  it('uses one that is written out', async () => {
    const call = await asked('{ open: [{ from: "09:00", to: "17:00" }], timezone: Europe/Paris }');
    expect(call.outcomes()[0]).toBe('first:open');
  });

  it.each([
    ['a name that nobody knows', {}],
    ['a time zone that there is not', { office: { timezone: 'Mars/Olympus', open: [] } }],
    ['a schedule that is none', { office: 'always' }],
  ])('ends with an error on %s', async (_name, schedules) => {
    const call = await asked('office', { spec: { schedules } });
    expect(call.outcomes()).toEqual(['first:error', 'broken:done']);
  });
});
