import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closableClock, systemClock } from '../../src/base/core/clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the system clock', () => {
  it('returns the system time', () => {
    expect(systemClock.now()).toBe(1_000_000);
    vi.advanceTimersByTime(250);
    expect(systemClock.now()).toBe(1_000_250);
  });

  it('fires once, at the deadline and not before', () => {
    const fire = vi.fn();
    systemClock.after(100, fire);
    vi.advanceTimersByTime(99);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1000);
    expect(fire).toHaveBeenCalledTimes(1);
  });

  it('fires in order of deadline, then of setting', () => {
    const fired: string[] = [];
    systemClock.after(20, () => fired.push('c'));
    systemClock.after(10, () => fired.push('a'));
    systemClock.after(10, () => fired.push('b'));
    systemClock.after(0, () => fired.push('now'));
    vi.advanceTimersByTime(20);
    expect(fired).toEqual(['now', 'a', 'b', 'c']);
  });

  it('never fires from inside `after`, also when the deadline has passed', () => {
    const fire = vi.fn();
    systemClock.after(-5, fire);
    systemClock.after(0, fire);
    expect(fire).not.toHaveBeenCalled();
    // Timers of the platform have a grain of 1 ms.
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledTimes(2);
  });

  it('forgets a timer that was cancelled, and takes a cancel at any time', () => {
    const fire = vi.fn();
    const cancelled = systemClock.after(10, fire);
    cancelled.cancel();
    cancelled.cancel();
    const kept = systemClock.after(10, fire);
    vi.advanceTimersByTime(10);
    kept.cancel();
    expect(fire).toHaveBeenCalledTimes(1);
  });

  it('does not fire early for a delay beyond what the platform can hold', () => {
    const fire = vi.fn();
    const fortyDaysMs = 40 * 86_400_000;
    systemClock.after(fortyDaysMs, fire);
    vi.advanceTimersByTime(fortyDaysMs - 1);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledTimes(1);
    const cancelled = systemClock.after(fortyDaysMs, fire);
    vi.advanceTimersByTime(30 * 86_400_000);
    cancelled.cancel();
    vi.advanceTimersByTime(fortyDaysMs);
    expect(fire).toHaveBeenCalledTimes(1);
  });
});

describe('the closable clock', () => {
  it('cancels all timers when it is closed, and sets none afterwards', () => {
    const clock = closableClock(systemClock);
    const fired: string[] = [];
    const again = (): void => {
      fired.push('again');
      clock.after(100, again);
    };
    clock.after(100, again);
    clock.after(50, () => fired.push('cancelled')).cancel();
    vi.advanceTimersByTime(200);
    clock.close();
    clock.after(0, () => fired.push('late')).cancel();
    clock.after(0, () => fired.push('late'));
    expect(vi.getTimerCount()).toBe(0);
    expect(fired).toEqual(['again', 'again']);
  });
});
