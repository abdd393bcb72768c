import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

describe.each(['turn', 'promises'] as const)('the virtual clock, when it waits for a %s', (settling) => {
  it('fires in order of deadline, then of setting, each at its own time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 }), async (delays) => {
        const clock = new VirtualClock(0, settling);
        const fired: [due: number, order: number, at: number][] = [];
        for (const [order, due] of delays.entries()) clock.after(due, () => fired.push([due, order, clock.now()]));
        await clock.advance(20);
        const expected = delays.map((due, order) => [due, order, due]).sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
        expect(fired).toEqual(expected);
        expect(clock.pendingTimers).toBe(0);
      }),
    );
  });

  it('gives the same result for any number of leaps', async () => {
    const story = async (leaps: number[]): Promise<number[]> => {
      const clock = new VirtualClock(0, settling);
      const ticks: number[] = [];
      const tick = (): void => {
        ticks.push(clock.now());
        clock.after(7, tick);
      };
      clock.after(3, tick);
      for (const leap of leaps) await clock.advance(leap);
      return ticks;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }), async (leaps) => {
        const total = leaps.reduce((sum, leap) => sum + leap, 0);
        expect(await story(leaps)).toEqual(await story([total]));
      }),
    );
  });

  it('never fires what was cancelled, be it by a timer of the same moment', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ due: fc.integer({ min: 0, max: 9 }), cancels: fc.nat(19) }), { maxLength: 20 }),
        async (plan) => {
          const clock = new VirtualClock(0, settling);
          const cancelled = new Set<number>();
          const wrong: number[] = [];
          const timers = plan.map(({ due, cancels }, order) =>
            clock.after(due, () => {
              if (cancelled.has(order)) wrong.push(order);
              timers[cancels]?.cancel();
              cancelled.add(cancels);
            }),
          );
          await clock.advance(9);
          expect(wrong).toEqual([]);
        },
      ),
    );
  });

  it('honours what a promise sets between two deadlines', async () => {
    const clock = new VirtualClock(0, settling);
    const order: string[] = [];
    clock.after(10, () => {
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => clock.after(5, () => order.push(`inner ${clock.now()}`)));
    });
    clock.after(20, () => order.push(`outer ${clock.now()}`));
    await clock.advance(30);
    expect(order).toEqual(['inner 15', 'outer 20']);
    expect(clock.now()).toBe(30);
  });

  it('moves to the next deadline, within a limit', async () => {
    const clock = new VirtualClock(0, settling);
    clock.after(100, () => undefined);
    expect(await clock.advanceToNext(99)).toBe(false);
    expect(clock.now()).toBe(0);
    expect(await clock.advanceToNext()).toBe(true);
    expect(clock.now()).toBe(100);
    expect(await clock.advanceToNext()).toBe(false);
  });

  it('moves on as long as it is wanted', async () => {
    const clock = new VirtualClock(0, settling);
    let ticks = 0;
    const tick = (): void => {
      ticks++;
      clock.after(10, tick);
    };
    tick();
    await clock.advanceWhile(() => ticks < 5);
    expect([clock.now(), ticks]).toEqual([40, 5]);
  });

  it('reports for each timer whether it is still set', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ due: fc.nat(9), cancels: fc.nat(30) }), { maxLength: 30 }),
        async (plan) => {
          const clock = new VirtualClock(0, settling);
          const set = new Map<number, number>();
          const timers = plan.map(({ due }, order) => {
            set.set(order, due);
            return clock.after(due, () => set.delete(order));
          });
          for (const { cancels } of plan) {
            timers[cancels]?.cancel();
            set.delete(cancels);
            expect(clock.pendingTimers).toBe(set.size);
            expect(clock.nextDeadlineMs).toBe(set.size === 0 ? undefined : Math.min(...set.values()));
          }
          while (await clock.advanceToNext()) expect(clock.pendingTimers).toBe(set.size);
          expect(set.size).toBe(0);
        },
      ),
    );
  });

  it('never goes back in time', async () => {
    const clock = new VirtualClock(1_000, settling);
    await clock.advanceTo(500);
    expect(clock.now()).toBe(1_000);
  });
});
