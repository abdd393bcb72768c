/** Crashes of the service at any moment of a broadcast, and recovery: no number is lost, none called twice. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/base/core/ids.ts';
import type { CalleePlan } from '../../../src/media/telephony/simulated/far-end.ts';
import type { BroadcastOrder } from '../../../src/service/calls/broadcast/broadcast.ts';
import { PROJECT, phones, Rig, retries } from './rig.ts';

const PACE = { callsPerSecond: 20, maxConcurrent: 10 };

function planOf(random: () => number): CalleePlan {
  const afterMs = Math.floor(random() * 4000);
  const kind = Math.floor(random() * 5);
  if (kind === 0) return { does: 'busy', afterMs };
  if (kind === 1) return { does: 'no_answer' };
  if (kind === 2) return { does: 'fail', sipStatus: 503, afterMs };
  return { does: 'answer', ringsAfterMs: Math.floor(random() * 500), afterMs, talkMs: Math.floor(random() * 5000) };
}

/** Lives through as many lives as it takes; each dies at a random write, until there are enough of them. */
async function survive(seed: number, more: Partial<BroadcastOrder>, numbers = 40, deaths = 6) {
  const random = seededRandom(seed);
  const answered = new Set<string>();
  const calledAgain = new Set<string>();
  const dials = new Map<string, number>();
  const ends: string[] = [];
  const die = () => ({ write: 1 + Math.floor(random() * 150), when: random() < 0.5 ? 'before' : 'after' }) as const;
  let rig = Rig.open({
    callee: () => planOf(random),
    ringTimeoutMs: 5000,
    dialled(farEnd, { to }) {
      if (answered.has(to)) calledAgain.add(to);
      dials.set(to, (dials.get(to) ?? 0) + 1);
      farEnd.observe(({ type }) => void (type === 'answered' && answered.add(to)));
    },
  } as ConstructorParameters<typeof Rig>[0]);
  rig.death = die();
  const id = await rig.create(phones(numbers), { pacing: PACE, retry: retries(2, 2000), ringTimeoutMs: 5000, ...more });
  for (let life = 1; ; life++) {
    const untilMs = rig.clock.now() + 600_000;
    while (!rig.isDead && (await rig.store.broadcasts.find(id))!.endedMs === undefined) {
      if (!(await rig.clock.advanceToNext(untilMs))) break;
    }
    ends.push(...rig.ends);
    if (!rig.isDead) break;
    expect(rig.crashes).toEqual([]);
    await rig.pass(Math.floor(random() * 10_000));
    rig = await rig.restart();
    if (life < deaths) rig.death = die();
    else rig.death = undefined;
  }
  const found = (await rig.store.broadcasts.find(id))!;
  expect(found.endedMs, `seed ${seed}`).toBeDefined();
  return { rig, id, rows: await rig.rows(id), found, answered, calledAgain, dials, ends };
}

describe('a broadcast whose service dies at any moment', () => {
  it('has one result for each number, never redials an answered one, and reports its end once', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const { rig, rows, found, answered, calledAgain, dials, ends } = await survive(seed, {});
      expect(found.state).toBe('completed');
      expect(rows.every(({ state, result }) => state === 'done' && result !== undefined)).toBe(true);
      expect([...calledAgain], `seed ${seed}`).toEqual([]);
      for (const { phone, attempts, result } of rows) {
        expect(dials.get(phone) ?? 0).toBeLessThanOrEqual(attempts);
        if (result!.code === 'success') expect(answered.has(phone)).toBe(true);
        else if (answered.has(phone)) expect(result!.reason).toBe('Service Restarted');
      }
      expect(ends).toEqual(['complete']);
      const counts = await rig.store.broadcasts.counts(found.order.broadcastId);
      expect(counts).toMatchObject({ done: 40, queued: 0, calling: 0 });
      expect(counts.success + counts.failed).toBe(40);
    }
  });

  it('redials lost calls if the order says so', async () => {
    let again = 0;
    for (let seed = 1; seed <= 5; seed++) {
      const { rows, calledAgain } = await survive(seed, { redialLost: true });
      again += calledAgain.size;
      expect(rows.every(({ state, result }) => state === 'done' && result!.reason !== 'Service Restarted')).toBe(true);
    }
    expect(again).toBeGreaterThan(0);
  });
});

describe('the restarted service', () => {
  const answers = (talkMs: number): CalleePlan => ({ does: 'answer', ringsAfterMs: 100, afterMs: 1000, talkMs });

  it('settles answered calls by their records, and the others as lost', async () => {
    const rig = Rig.open({ callee: (to) => (to === '1' ? answers(60_000) : { does: 'no_answer' }) });
    const id = await rig.create(['1', '2', '3'], {
      pacing: { callsPerSecond: 0.5, maxConcurrent: 2 },
      eventUrl: 'http://x',
      idleTimeoutMs: 60_000,
    });
    await rig.pass(5000);
    rig.die();
    const next = await rig.restart({ callee: () => answers(100) });
    expect(await next.results(id)).toMatchObject({ 1: 'success success 1', 2: 'failed Service Restarted 1' });
    await next.finish(id);
    expect(await next.results(id)).toEqual({
      '1': 'success success 1',
      '2': 'failed Service Restarted 1',
      '3': 'success success 1',
    });
    expect(next.dials.map(({ to }) => to)).toEqual(['3']);
    // Their calls are over as far as the book is concerned.
    expect(await next.store.calls.unfinished()).toEqual([]);
  });

  it('redials a number whose call was never stored, without counting an attempt', async () => {
    const rig = Rig.open();
    // The claim of the only number is the second write; the call in the book would be the next.
    rig.death = { write: 3, when: 'before' };
    const id = await rig.create(['1']);
    await rig.pass(1000);
    expect([rig.isDead, rig.dials.length]).toEqual([true, 0]);
    expect(await rig.rows(id)).toMatchObject([{ state: 'calling', attempts: 1 }]);
    const next = await rig.restart();
    expect(await next.rows(id)).toMatchObject([{ attempts: 0, state: 'queued' }]);
    await next.finish(id);
    expect(await next.results(id)).toEqual({ '1': 'success success 1' });
  });

  it('retries a number whose call had ended before the result was stored', async () => {
    const rig = Rig.open({ callee: (_to, attempt) => (attempt === 1 ? { does: 'busy' } : answers(10)) });
    const id = await rig.create(['1'], { retry: retries(1, 30_000) });
    const { store } = rig;
    // Crashes at the moment of storing the result of the call.
    const requeue = store.broadcasts.requeue;
    const calls: string[] = [];
    store.broadcasts.requeue = (...args) => {
      calls.push('requeue');
      if (calls.length === 1) {
        rig.die();
        throw new Error('the process is dead');
      }
      return requeue.apply(store.broadcasts, args);
    };
    await rig.pass(1000);
    expect(await rig.rows(id)).toMatchObject([{ state: 'calling' }]);
    const next = await rig.restart();
    expect(await next.rows(id)).toMatchObject([
      { state: 'queued', attempts: 1, dueMs: rig.startMs + 30_000, result: { reason: 'Busy' } },
    ]);
    next.options.callee = () => answers(10);
    await next.finish(id);
    expect(await next.results(id)).toEqual({ '1': 'success success 2' });
  });

  it('continues at the rate of the broadcast, with retries when they are due', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'busy' }) });
    const id = await rig.create(phones(20), { pacing: { callsPerSecond: 2 }, retry: retries(1, 60_000) });
    await rig.pass(4900);
    expect(rig.dials).toHaveLength(10);
    rig.die();
    const next = await rig.restart();
    expect(next.lines.find(({ message }) => message === 'broadcast.resumed')?.fields).toEqual({
      ...{ broadcastId: id, projectId: PROJECT, queued: 20 },
    });
    await next.finish(id);
    expect(next.dials).toHaveLength(30);
    const times = next.dials.map(({ atMs }) => atMs);
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(60_000 + 4500);
    for (const [index, atMs] of times.entries())
      if (index >= 2) expect(atMs - times[index - 2]!).toBeGreaterThanOrEqual(900);
    expect(new Set(Object.values(await next.results(id)))).toEqual(new Set(['failed Busy 2']));
  });

  it('ends a broadcast that was being stopped', async () => {
    const rig = Rig.open({ callee: () => answers(60_000) });
    const id = await rig.create(phones(5000), { pacing: PACE, eventUrl: 'http://x', idleTimeoutMs: 60_000 });
    await rig.pass(3000);
    // Half way through settling what was not called.
    const stopped = rig.broadcasts.stop(PROJECT, id, { hangUp: false });
    await rig.clock.settle();
    rig.die();
    await Promise.race([stopped, rig.clock.settle()]);
    const next = await rig.restart();
    // Remaining numbers are settled a few per turn; virtual time does not pass.
    await expect.poll(async () => (await next.store.broadcasts.find(id))!.endedMs).toBe(rig.clock.now());
    expect(await next.store.broadcasts.find(id)).toMatchObject({ state: 'stopped' });
    expect(await next.store.broadcasts.counts(id)).toMatchObject({
      done: 5000,
      success: 10,
      reasons: { 'Broadcast Stopped': 4990 },
    });
    expect(next.told.map(({ what }) => what)).toEqual(['complete']);
    await next.pass(60_000);
    expect(next.dials).toEqual([]);
  });

  it('fails a broadcast whose flow is missing, with the reason', async () => {
    const flow = 'flow: gone\nstart: bye\nsteps: { bye: { hangup: normal } }\n';
    const rig = Rig.open({ flows: { gone: flow }, callee: () => ({ does: 'busy' }) });
    const action = { type: 'flow', flow: 'gone', input: {} } as const;
    const id = await rig.create(phones(3), { action, retry: retries(1, 60_000), pacing: { callsPerSecond: 1 } });
    await rig.pass(500);
    rig.die();
    const next = await rig.restart({ flows: {} });
    await next.clock.settle();
    expect(await next.store.broadcasts.find(id)).toMatchObject({
      state: 'failed',
      error: 'there is no flow gone',
      endedMs: rig.clock.now(),
    });
    expect(Object.values(await next.results(id))).toEqual([
      'failed Busy 1',
      'failed Broadcast Stopped 0',
      'failed Broadcast Stopped 0',
    ]);
    expect(next.told.map(({ what }) => what)).toEqual(['failed']);
    await next.pass(120_000);
    expect(next.dials).toEqual([]);
  });

  it('leaves a broadcast alone that had ended', async () => {
    const rig = Rig.open();
    const id = await rig.create(['1']);
    await rig.finish(id);
    const next = await rig.restart();
    await next.pass(60_000);
    expect([next.told, next.dials]).toEqual([[], []]);
  });
});

describe('an orderly stop of the service', () => {
  it('dials nothing more, stores the results of active calls, and continues after the restart', async () => {
    const rig = Rig.open({
      callee: (to) =>
        to.endsWith('1') ? { does: 'busy', afterMs: 3000 } : { does: 'answer', afterMs: 1000, talkMs: 4000 },
    });
    const id = await rig.create(phones(20), {
      pacing: { callsPerSecond: 5 },
      retry: retries(3, 1000),
      eventUrl: 'http://x',
      idleTimeoutMs: 60_000,
    });
    await rig.pass(1500);
    const dialled = rig.dials.length;
    rig.broadcasts.close();
    await rig.pass(60_000);
    expect(rig.dials).toHaveLength(dialled);
    expect(await rig.store.broadcasts.calling(id, 100)).toEqual([]);
    expect((await rig.find(id)).endedMs).toBeUndefined();
    const next = await rig.restart({ callee: () => answers1 });
    await next.finish(id);
    expect(new Set(Object.values(await next.results(id)))).toEqual(new Set(['success success 1', 'success success 2']));
  });

  it('leaves no timer or call running', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'busy' }) });
    await rig.create(phones(50), { pacing: { callsPerSecond: 0.01 } });
    await rig.create(phones(50), { retry: retries(3, 600_000) });
    await rig.create(phones(50), { window: { open: [{ from: '03:00', to: '03:01' }] } });
    const late = rig.create(phones(50));
    await rig.pass(20_000);
    rig.broadcasts.close();
    await late;
    await rig.pass(1);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('keeps a broadcast ordered in its last moment for the restart', async () => {
    const rig = Rig.open();
    const { broadcasts } = rig.store;
    const create = broadcasts.create;
    broadcasts.create = (...args) => {
      rig.broadcasts.close();
      return create.apply(broadcasts, args);
    };
    const id = await rig.create(phones(3));
    await rig.pass(60_000);
    expect([rig.dials, rig.clock.pendingTimers]).toEqual([[], 0]);
    const next = await rig.restart();
    await next.finish(id);
    expect(next.dials).toHaveLength(3);
  });

  it('requeues numbers that it interrupted, and keeps the reached ones', async () => {
    const rig = Rig.open({ callee: (to) => (to === '1' ? { does: 'answer', afterMs: 100 } : { does: 'no_answer' }) });
    const id = await rig.create(['1', '2'], {
      retry: retries(1, 5000),
      eventUrl: 'http://x',
      idleTimeoutMs: 600_000,
      ringTimeoutMs: 600_000,
    });
    await rig.pass(3000);
    rig.broadcasts.close();
    const drained = rig.supervisor.drain({ hangUp: true });
    await rig.pass(100);
    await drained;
    expect(await rig.rows(id)).toMatchObject([
      { state: 'done', result: { code: 'success' } },
      { state: 'queued', attempts: 1, result: { reason: 'Temporary Failure' } },
    ]);
  });
});

const answers1: CalleePlan = { does: 'answer', afterMs: 10, talkMs: 10 };
