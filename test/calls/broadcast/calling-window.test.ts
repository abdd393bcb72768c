/** Times at which broadcasts may call, in the time zone of the window. */
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../src/base/core/json.ts';
import { CallingWindow } from '../../../src/service/calls/broadcast/calling-window.ts';
import { phones, Rig, retries } from './rig.ts';

const hours = (open: Json[], timezone: string, more: JsonObject = {}): JsonObject => ({ open, timezone, ...more });
const OFFICE = hours([{ days: 'mon-fri', from: '09:00', to: '18:00' }], 'Europe/Paris');

describe('a window', () => {
  it.each<[name: string, window: JsonObject, at: string, state: string]>([
    ['before it opens', OFFICE, '2026-03-02T07:59:59Z', 'closed'],
    ['when it opens', OFFICE, '2026-03-02T08:00:00Z', 'open'],
    ['before it closes', OFFICE, '2026-03-02T16:59:59Z', 'open'],
    ['when it closes', OFFICE, '2026-03-02T17:00:00Z', 'closed'],
    ['on a weekend', OFFICE, '2026-03-07T10:00:00Z', 'closed'],
    ['in summer, an hour earlier by UTC', OFFICE, '2026-07-06T07:00:00Z', 'open'],
    ['on a holiday', { ...OFFICE, holidays: ['2026-03-02'] }, '2026-03-02T10:00:00Z', 'closed'],
    ['overnight, late', hours([{ from: '22:00', to: '02:00' }], 'UTC'), '2026-03-02T23:00:00Z', 'open'],
    ['overnight, early', hours([{ from: '22:00', to: '02:00' }], 'UTC'), '2026-03-03T01:59:00Z', 'open'],
    ['after the night', hours([{ from: '22:00', to: '02:00' }], 'UTC'), '2026-03-03T02:00:00Z', 'closed'],
    [
      'where minutes are others',
      hours([{ from: '09:00', to: '10:00' }], 'Asia/Kathmandu'),
      '2026-03-02T03:15:00Z',
      'open',
    ],
    ['just before that', hours([{ from: '09:00', to: '10:00' }], 'Asia/Kathmandu'), '2026-03-02T03:14:59Z', 'closed'],
    // Clocks of Paris go from 2:00 to 3:00 on this night, and from 3:00 back to 2:00 on the other.
    [
      'in an hour that is left out',
      hours([{ from: '02:00', to: '03:00' }], 'Europe/Paris'),
      '2026-03-29T01:00:00Z',
      'closed',
    ],
    [
      'in an hour that comes twice',
      hours([{ from: '02:00', to: '03:00' }], 'Europe/Paris'),
      '2026-10-25T00:30:00Z',
      'open',
    ],
    ['the second time', hours([{ from: '02:00', to: '03:00' }], 'Europe/Paris'), '2026-10-25T01:30:00Z', 'open'],
    ['after that', hours([{ from: '02:00', to: '03:00' }], 'Europe/Paris'), '2026-10-25T02:00:00Z', 'closed'],
  ])('is open or closed by the clock of its zone: %s', (_, window, at, state) => {
    expect(new CallingWindow(window, () => ({})).at(Date.parse(at))).toBe(state);
  });

  it('is checked once a minute', () => {
    let asked = 0;
    const window = new CallingWindow('office', () => {
      asked++;
      return { office: OFFICE };
    });
    const fromMs = Date.parse('2026-03-02T08:00:00Z');
    for (let ms = 0; ms < 120_000; ms += 500) window.at(fromMs + ms);
    expect(asked).toBe(2);
    expect(window.looksAgainMs(fromMs + 1)).toBe(fromMs + 60_000);
    expect(window.looksAgainMs(fromMs)).toBe(fromMs + 60_000);
  });

  it('is invalid with an unknown time zone', () => {
    const window = new CallingWindow(hours([{ from: '00:00', to: '24:00' }], 'Europe/Atlantis'), () => ({}));
    expect(window.at(0)).toEqual({ problem: 'the time zone of its window is not known' });
  });

  it('is invalid with an unknown schedule', () => {
    const state = new CallingWindow('toString', () => ({})).at(0);
    expect(state).toEqual({ problem: 'there is no schedule toString' });
  });
});

describe('a broadcast', () => {
  const at = (text: string): number => Date.parse(text);

  it('waits until its window opens, and dials nothing after it has closed', async () => {
    const rig = Rig.open({ startMs: at('2026-03-02T07:30:20Z') });
    const window = hours([{ from: '09:00', to: '09:01' }], 'Europe/Paris');
    const id = await rig.create(phones(150), { window, pacing: { callsPerSecond: 2, maxConcurrent: 100 } });
    await rig.pass(at('2026-03-02T07:59:59.999Z') - rig.clock.now());
    expect(rig.dials).toEqual([]);
    expect((await rig.find(id)).state).toBe('initiated');
    await rig.pass(90_000);
    expect(rig.dials).toHaveLength(120);
    expect(rig.dials.at(-1)!.atMs).toBeLessThan(at('2026-03-02T08:01:00Z'));
    await rig.finish(id, 48 * 3_600_000);
    expect(rig.dials).toHaveLength(150);
    expect(rig.dials[120]!.atMs).toBe(at('2026-03-03T08:00:00Z'));
  });

  it('keeps retries for the next open window', async () => {
    const rig = Rig.open({ startMs: at('2026-03-02T16:59:58Z'), callee: () => ({ does: 'busy' }) });
    const id = await rig.create(phones(1), { window: OFFICE, retry: retries(1, 5000) });
    await rig.finish(id, 48 * 3_600_000);
    expect(rig.dials.map(({ atMs }) => new Date(atMs).toISOString())).toEqual([
      '2026-03-02T16:59:58.000Z',
      '2026-03-03T08:00:00.000Z',
    ]);
  });

  it('follows its schedule, also after a change', async () => {
    const rig = Rig.open({ startMs: at('2026-03-02T20:00:10Z'), schedules: { office: OFFICE } });
    const id = await rig.create(phones(1), { window: 'office' });
    await rig.pass(600_000);
    expect(rig.dials).toEqual([]);
    rig.schedules['office'] = hours([{ from: '00:00', to: '24:00' }], 'UTC');
    await rig.finish(id, 70_000);
    expect(rig.dials).toHaveLength(1);
  });

  it('fails when its schedule is removed', async () => {
    const rig = Rig.open({ startMs: at('2026-03-02T20:00:10Z'), schedules: { office: OFFICE } });
    const id = await rig.create(phones(2), { window: 'office' });
    delete rig.schedules['office'];
    const ended = await rig.finish(id, 70_000);
    expect(ended).toMatchObject({ state: 'failed', error: 'there is no schedule office' });
    expect(Object.values(await rig.results(id))).toEqual(['failed Broadcast Stopped 0', 'failed Broadcast Stopped 0']);
    expect(rig.told.map(({ what }) => what)).toEqual(['initiated', 'failed']);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('is refused with an unknown schedule', async () => {
    await expect(Rig.open().create(phones(1), { window: 'office' })).rejects.toMatchObject({
      code: 'input_invalid',
      message: 'window: there is no schedule office',
    });
  });
});
