/** Concurrent broadcasts, and large ones. */
import { describe, expect, it } from 'vitest';
import { PROJECT, phones, Rig, type RigOptions, retries } from './rig.ts';

/** How many of each were dialled in this stretch of time. */
const dialled = (rig: Rig, prefix: string, fromMs = 0, toMs = Number.POSITIVE_INFINITY): number =>
  rig.dials.filter(({ to, atMs }) => {
    const sinceMs = atMs - rig.startMs;
    return to.startsWith(prefix) && sinceMs >= fromMs && sinceMs < toMs;
  }).length;

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(5, '0')}`);

/** Numbers that begin with 9 never answer. */
const DEAD: RigOptions = {
  callee: (to) => (to.startsWith('9') ? { does: 'no_answer' } : { does: 'answer', afterMs: 500, talkMs: 1500 }),
};
const QUIET = { ringTimeoutMs: 60_000, eventUrl: 'http://x.example', idleTimeoutMs: 60_000 };

describe('concurrent broadcasts', () => {
  it('are served in turns within one project', async () => {
    const rig = Rig.open();
    await rig.create(numbered('1', 100));
    await rig.create(numbered('2', 100));
    await rig.pass(9990);
    expect(rig.dials.length).toBeLessThanOrEqual(101);
    expect(Math.abs(dialled(rig, '1') - dialled(rig, '2'))).toBeLessThanOrEqual(1);
    expect(dialled(rig, '1')).toBeGreaterThanOrEqual(49);
  });

  it('are dialled at their own rate if set, next to those that share', async () => {
    const rig = Rig.open({
      callee: (to) => (to.startsWith('3') ? { does: 'no_answer' } : { does: 'answer', talkMs: 500 }),
    });
    await rig.create(numbered('1', 300));
    await rig.create(numbered('2', 300), { pacing: { callsPerSecond: 20 } });
    await rig.create(numbered('3', 300), { pacing: { maxConcurrent: 2 } });
    await rig.pass(9990);
    expect(Math.abs(dialled(rig, '1') - 100)).toBeLessThanOrEqual(1);
    expect(Math.abs(dialled(rig, '2') - 200)).toBeLessThanOrEqual(3);
    expect(dialled(rig, '3')).toBe(2);
  });

  it('are not slowed by a far end of another one that never answers', async () => {
    const rig = Rig.open({
      ...DEAD,
      limits: { maxConcurrent: 60, projectMaxConcurrent: 60, projectCallsPerSecond: 20 },
    });
    await rig.create(numbered('9', 500), { ...QUIET, pacing: { callsPerSecond: 30, maxConcurrent: 60 } });
    await rig.create(numbered('1', 2000), {
      ...QUIET,
      projectId: 'shop-2',
      pacing: { callsPerSecond: 10, maxConcurrent: 60 },
    });
    await rig.pass(70_000);
    expect(dialled(rig, '1', 0, 70_000)).toBeGreaterThanOrEqual(698);
    expect(dialled(rig, '9')).toBeGreaterThan(60);
    rig.broadcasts.close();
  });

  it('are not slowed within a project, either', async () => {
    const rig = Rig.open({ ...DEAD, limits: { projectMaxConcurrent: 40 } });
    await rig.create(numbered('9', 200), QUIET);
    await rig.create(numbered('1', 2000), QUIET);
    await rig.pass(90_000);
    // A dead call costs a turn, and no more than its share of them there ever are.
    expect(dialled(rig, '1', 0, 90_000)).toBeGreaterThanOrEqual(850);
    expect(dialled(rig, '9', 0, 60_000)).toBe(20);
    rig.broadcasts.close();
  });

  it('are limited to leave room for inbound calls', async () => {
    let isFull = false;
    const rig = Rig.open({ admits: () => !isFull });
    const id = await rig.create(phones(100), { pacing: { callsPerSecond: 10 } });
    await rig.pass(2950);
    isFull = true;
    const before = rig.dials.length;
    await rig.pass(10_000);
    expect(rig.dials).toHaveLength(before);
    isFull = false;
    await rig.finish(id);
    expect(rig.dials).toHaveLength(100);
  });
});

describe('a large broadcast', () => {
  it('never holds more numbers in memory than it calls, with a constant number of queries per number', async () => {
    const asked = async (count: number): Promise<number> => {
      const rig = new Rig({
        callee: (_to, attempt) => (attempt === 1 ? { does: 'busy' } : { does: 'answer', afterMs: 100, talkMs: 100 }),
      });
      const { broadcasts } = rig.store;
      let [asks, most] = [0, 0];
      const [due, nextDueMs] = [broadcasts.due, broadcasts.nextDueMs];
      broadcasts.due = async (...args) => {
        asks++;
        const rows = await due.apply(broadcasts, args);
        most = Math.max(most, rows.length);
        return rows;
      };
      broadcasts.nextDueMs = (...args) => {
        asks++;
        return nextDueMs.apply(broadcasts, args);
      };
      rig.broadcasts.start();
      const pacing = { callsPerSecond: 500, maxConcurrent: 100 };
      const id = await rig.create(phones(count), { pacing, retry: retries(1, 2000) });
      await rig.finish(id);
      expect(most).toBeLessThanOrEqual(64);
      expect(await rig.store.broadcasts.counts(id)).toMatchObject({ success: count, attempts: 2 * count });
      expect(rig.clock.pendingTimers).toBe(0);
      return asks / count;
    };
    const [small, large] = [await asked(150), await asked(1200)];
    expect(large).toBeLessThanOrEqual(small * 1.2);
    expect(large).toBeLessThan(1);
  });

  it('keeps to its rate and its concurrency in every second', async () => {
    const rig = Rig.open({
      callee: (_to, attempt) => (attempt === 1 ? { does: 'busy', afterMs: 700 } : { does: 'answer', talkMs: 900 }),
    });
    const id = await rig.create(phones(600), {
      pacing: { callsPerSecond: 25, maxConcurrent: 15 },
      retry: retries(1, 3000),
    });
    let most = 0;
    rig.options.dialled = () => {
      most = Math.max(most, rig.broadcasts.figures.calls);
    };
    await rig.finish(id);
    expect(most).toBeLessThanOrEqual(15);
    const times = rig.dials.map(({ atMs }) => atMs);
    for (const [index, atMs] of times.entries())
      if (index >= 28) expect(atMs - times[index - 28]!).toBeGreaterThanOrEqual(1000);
  });

  it('loses no number if its store fails now and then', async () => {
    const rig = new Rig({
      callee: (_to, attempt) => (attempt === 1 ? { does: 'busy' } : { does: 'answer', talkMs: 500 }),
    });
    const { broadcasts } = rig.store;
    let writes = 0;
    for (const name of ['claim', 'requeue', 'settle', 'due', 'change', 'settleQueued'] as const) {
      const real = broadcasts[name] as (...args: never[]) => unknown;
      Object.assign(broadcasts, {
        [name]: (...args: never[]) => {
          if (++writes % 7 === 0) throw new Error('the disk is full');
          return real.apply(broadcasts, args);
        },
      });
    }
    rig.broadcasts.start();
    const id = await rig.create(phones(50), { retry: retries(1, 1000) });
    const ended = await rig.finish(id);
    expect(ended.state).toBe('completed');
    expect(new Set(Object.values(await rig.results(id)))).toEqual(new Set(['success success 2']));
    expect(rig.dials).toHaveLength(100);
    expect(rig.lines.filter(({ level }) => level === 'error').length).toBeGreaterThan(5);
    expect(rig.told.filter(({ what }) => what === 'complete').length).toBeGreaterThanOrEqual(1);
    expect(rig.ends).toEqual(['complete']);
  });

  it('has results for numbers whose calls cannot be started', async () => {
    const rig = new Rig();
    const { supervisor } = rig;
    const begin = supervisor.start;
    let calls = 0;
    supervisor.start = (spec) => {
      if (++calls % 3 === 0) throw new Error('broken');
      return begin(spec);
    };
    rig.broadcasts.start();
    const id = await rig.create(phones(9), { retry: retries(1, 1000, 'unreachable') });
    await rig.finish(id);
    expect(
      (await rig.rows(id)).every(({ result }) => result!.code === 'success' || result!.reason === 'Temporary Failure'),
    ).toBe(true);
    expect(rig.lines.some(({ message }) => message === 'broadcast.call_failed')).toBe(true);
    expect(rig.broadcasts.figures).toEqual({ running: 0, calls: 0, queued: 0 });
    expect(await rig.broadcasts.stop(PROJECT, id, { hangUp: false })).toMatchObject({ state: 'completed' });
  });
});
