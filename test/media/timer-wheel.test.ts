import { describe, expect, it } from 'vitest';
import { TimerWheel } from '../../src/media/telephony/media/timer-wheel.ts';

function spun() {
  const turns: [member: string, nowMs: number][] = [];
  const wheel = new TimerWheel<string>((member, nowMs) => turns.push([member, nowMs]));
  return { wheel, turns, timesOf: (member: string) => turns.filter(([of]) => of === member).map(([, at]) => at) };
}

describe('the wheel', () => {
  it('does not drift: an hour of irregular wake-ups gives exactly its ticks, 20 ms apart', () => {
    const { wheel, timesOf } = spun();
    wheel.add('leg', { periodMs: 20, nowMs: 0 });
    let nowMs = 0;
    for (let wakeUp = 0; nowMs < 3_600_000; wakeUp++) {
      nowMs += 3 + ((wakeUp * 7919) % 23);
      wheel.advance(Math.min(nowMs, 3_599_999));
    }
    const times = timesOf('leg');
    expect(times).toHaveLength(180_000);
    expect(times.every((at, index) => at === index * 20)).toBe(true);
  });

  it('catches up the slots that a late timer missed, in order', () => {
    const { wheel, turns } = spun();
    wheel.add('a', { periodMs: 20, nowMs: 0 });
    wheel.add('b', { periodMs: 10, nowMs: 0 });
    wheel.advance(42);
    expect(turns).toEqual([
      ['a', 0],
      ['b', 0],
      ['b', 10],
      ['a', 20],
      ['b', 20],
      ['b', 30],
      ['a', 40],
      ['b', 40],
    ]);
  });

  it('skips slots more than 200 ms old, and keeps its phase', () => {
    const { wheel, timesOf } = spun();
    wheel.add('leg', { periodMs: 20, nowMs: 0 });
    wheel.advance(0);
    wheel.advance(10_000);
    const times = timesOf('leg').slice(1);
    expect(times).toHaveLength(10);
    expect(times.at(0)).toBe(9820);
    expect(times.at(-1)).toBe(10_000);
  });

  it('does not catch up the time in which it was empty', () => {
    const { wheel, timesOf } = spun();
    wheel.add('leg', { periodMs: 20, nowMs: 123_457 });
    expect(wheel.nextMs).toBeGreaterThanOrEqual(123_457);
    expect(wheel.nextMs).toBeLessThanOrEqual(123_480);
    wheel.advance(123_500);
    expect(timesOf('leg').length).toBeLessThanOrEqual(3);
  });

  it('sleeps until a slot with members', () => {
    const { wheel } = spun();
    expect(wheel.nextMs).toBe(Number.POSITIVE_INFINITY);
    wheel.add('leg', { periodMs: 20, nowMs: 0 });
    wheel.advance(0);
    expect(wheel.nextMs).toBe(20);
    wheel.remove('leg');
    expect(wheel.nextMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('spreads many members over the slots', () => {
    const { wheel, turns } = spun();
    for (let index = 0; index < 1000; index++) wheel.add(`leg-${index}`, { periodMs: 20, nowMs: 0 });
    wheel.advance(19);
    const perSlot = [0, 5, 10, 15].map((slot) => turns.filter(([, at]) => at === slot).length);
    expect(perSlot).toEqual([250, 250, 250, 250]);
  });

  it('lets a member leave, or change its period, during its own tick', () => {
    const times: number[] = [];
    const wheel = new TimerWheel<string>((member, nowMs) => {
      times.push(nowMs);
      if (nowMs === 40) wheel.add(member, { periodMs: 40, nowMs });
      if (nowMs === 120) wheel.remove(member);
    });
    wheel.add('leg', { periodMs: 20, nowMs: 0 });
    for (let nowMs = 0; nowMs < 300; nowMs += 5) wheel.advance(nowMs);
    expect(times).toEqual([0, 20, 40, 80, 120]);
    expect(wheel.size).toBe(0);
  });
});
