/** Stop of a broadcast: nothing is dialled from that moment on, in any interleaving. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/base/core/ids.ts';
import type { CalleePlan } from '../../../src/media/telephony/simulated/far-end.ts';
import { PROJECT, phones, Rig, retries } from './rig.ts';

const PACE = { callsPerSecond: 20, maxConcurrent: 10 };

/** All that callees do. */
function planOf(random: () => number): CalleePlan {
  const afterMs = Math.floor(random() * 8000);
  const kind = Math.floor(random() * 6);
  if (kind === 0) return { does: 'busy', afterMs };
  if (kind === 1) return { does: 'no_answer' };
  if (kind === 2) return { does: 'declined', afterMs };
  if (kind === 3) return { does: 'fail', sipStatus: 503, afterMs };
  return { does: 'answer', ringsAfterMs: Math.floor(random() * 1000), afterMs, talkMs: Math.floor(random() * 20_000) };
}

const stop = (rig: Rig, id: string, hangUp = false) => rig.broadcasts.stop(PROJECT, id, { hangUp });

describe('a broadcast that is stopped', () => {
  it('lets calls continue, dials nothing more, and ends with the last of them', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'answer', afterMs: 500, talkMs: 20_000 }) });
    const id = await rig.create(phones(100), { pacing: PACE, eventUrl: 'http://x.example', idleTimeoutMs: 60_000 });
    await rig.pass(2000);
    expect(rig.dials).toHaveLength(10);
    const stopped = await stop(rig, id);
    expect(stopped.state).toBe('stopped');
    expect(stopped.endedMs).toBeUndefined();
    const ended = await rig.finish(id);
    expect(ended).toMatchObject({ state: 'stopped' });
    expect(rig.dials).toHaveLength(10);
    expect(rig.told.map(({ what, broadcast }) => [what, broadcast.state])).toEqual([
      ['initiated', 'initiated'],
      ['complete', 'stopped'],
    ]);
    expect(rig.told[1]!.counts).toMatchObject({
      success: 10,
      failed: 90,
      reasons: { success: 10, 'Broadcast Stopped': 90 },
    });
  });

  it('hangs up live calls on request', async () => {
    const rig = Rig.open({
      callee: (_to, attempt) => (attempt < 2 ? { does: 'answer', ringsAfterMs: 0, afterMs: 1500 } : { does: 'busy' }),
    });
    const id = await rig.create(phones(100), {
      pacing: PACE,
      retry: retries(3),
      eventUrl: 'http://x.example',
      idleTimeoutMs: 60_000,
    });
    await rig.pass(1800);
    await stop(rig, id, true);
    const ended = await rig.finish(id, 1000);
    expect(ended.endedMs! - rig.clock.now()).toBeLessThanOrEqual(0);
    const results = Object.values(await rig.results(id));
    expect(results.filter((result) => result === 'success success 1').length).toBeGreaterThan(0);
    // Numbers that were ringing at the stop have the result of the stop.
    expect(results.filter((result) => result === 'failed Broadcast Stopped 1').length).toBeGreaterThan(0);
    expect(results.filter((result) => result === 'failed Broadcast Stopped 0')).toHaveLength(90);
  });

  it('accepts a later request to hang up', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'answer', afterMs: 500 }) });
    const id = await rig.create(phones(5), { eventUrl: 'http://x.example', idleTimeoutMs: 3_600_000 });
    await rig.pass(5000);
    await stop(rig, id);
    await rig.pass(5000);
    expect((await rig.find(id)).endedMs).toBeUndefined();
    await stop(rig, id, true);
    await rig.finish(id, 1000);
  });

  it('stays the same however often it is stopped', async () => {
    const rig = Rig.open();
    const id = await rig.create(phones(5));
    const [one, two] = await Promise.all([stop(rig, id), stop(rig, id, true)]);
    expect([one.state, two.state]).toEqual(['stopped', 'stopped']);
    const ended = await rig.finish(id);
    expect(await stop(rig, id, true)).toEqual(ended);
    expect(rig.told.map(({ what }) => what)).toEqual(['initiated', 'complete']);
  });

  it('has called no number if it is stopped before its first call', async () => {
    const rig = Rig.open();
    const id = await rig.create(phones(5000));
    const stopped = await stop(rig, id);
    expect(stopped).toMatchObject({ state: 'stopped', endedMs: rig.startMs });
    await rig.pass(60_000);
    expect(rig.dials).toEqual([]);
    expect((await rig.find(id)).startedMs).toBeUndefined();
    expect(rig.told.at(-1)!.counts).toMatchObject({ failed: 5000, attempts: 0 });
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('stays ended if it is stopped after its end', async () => {
    const rig = Rig.open();
    const id = await rig.create(phones(2));
    const ended = await rig.finish(id);
    expect(await stop(rig, id, true)).toEqual(ended);
    expect(ended.state).toBe('completed');
  });

  it('keeps the last result of numbers that wait for a retry', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'busy' }) });
    const id = await rig.create(phones(3), { retry: retries(3, 60_000), pacing: { callsPerSecond: 1 } });
    await rig.pass(1500);
    await stop(rig, id);
    expect(Object.values(await rig.results(id))).toEqual([
      'failed Busy 1',
      'failed Busy 1',
      'failed Broadcast Stopped 0',
    ]);
    expect((await rig.finish(id)).endedMs).toBe(rig.clock.now());
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('does not redial a number whose retry was not stored yet', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'busy' }) });
    const id = await rig.create(phones(1), { retry: retries(3, 100) });
    const { broadcasts } = rig.store;
    const requeue = broadcasts.requeue;
    broadcasts.requeue = () => {
      throw new Error('the disk is full');
    };
    await rig.pass(500);
    broadcasts.requeue = requeue;
    await stop(rig, id);
    await rig.finish(id);
    expect(Object.values(await rig.results(id))).toEqual(['failed Busy 1']);
    expect(rig.dials).toHaveLength(1);
  });

  it('ends when all waiting numbers are settled, however many there are', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'answer', talkMs: 10 }) });
    const id = await rig.create(phones(6000), { pacing: PACE });
    await rig.pass(5);
    // Its calls end while what waits is being settled, piece by piece.
    const stopping = stop(rig, id, true);
    await rig.pass(20);
    await stopping;
    const ended = await rig.finish(id);
    expect(rig.told.at(-1)!.counts).toMatchObject({ done: 6000, queued: 0, calling: 0 });
    expect(ended.state).toBe('stopped');
  });

  it('is unknown to another project', async () => {
    const rig = Rig.open();
    const id = await rig.create(phones(2));
    await expect(rig.broadcasts.stop('other', id, { hangUp: true })).rejects.toMatchObject({
      code: 'unknown_broadcast',
    });
    await rig.finish(id);
    expect((await rig.find(id)).state).toBe('completed');
  });

  it('ends every number once if it is stopped during an answer, a hang-up or a dial', async () => {
    // Everything happens at whole seconds, and so does the stop.
    for (const atMs of [0, 1, 999, 1000, 1001, 2000, 3000, 4000]) {
      for (const hangUp of [false, true]) {
        const rig = Rig.open({ callee: () => ({ does: 'answer', ringsAfterMs: 0, afterMs: 1000, talkMs: 1000 }) });
        const id = await rig.create(phones(30), {
          pacing: { callsPerSecond: 10, maxConcurrent: 10 },
          retry: retries(2, 1000),
        });
        let stopping: Promise<unknown> = Promise.resolve();
        rig.clock.after(atMs, () => {
          stopping = stop(rig, id, hangUp);
        });
        await rig.pass(atMs);
        const dialled = rig.dials.length;
        await stopping;
        await rig.finish(id);
        expect(rig.dials).toHaveLength(dialled);
        expect((await rig.rows(id)).every(({ state }) => state === 'done')).toBe(true);
        expect(rig.told.map(({ what }) => what)).toEqual(['initiated', 'complete']);
        expect(rig.crashes).toEqual([]);
      }
    }
  });

  it('has one result for each number if it is stopped at any moment, with callees of all kinds', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = seededRandom(seed);
      const rig = Rig.open({ callee: () => planOf(random) });
      const id = await rig.create(phones(60), {
        pacing: PACE,
        retry: retries(2, Math.floor(random() * 5000)),
        ...(random() < 0.5 ? { eventUrl: 'http://x.example', idleTimeoutMs: 2000 } : {}),
      });
      await rig.pass(Math.floor(random() * 40_000));
      const hangUp = random() < 0.5;
      const before = rig.dials.length;
      const isOver = (await rig.find(id)).endedMs !== undefined;
      await stop(rig, id, hangUp);
      const ended = await rig.finish(id, hangUp ? 1000 : 120_000);
      expect(ended.state).toBe(isOver ? 'completed' : 'stopped');
      expect(rig.dials).toHaveLength(before);
      const rows = await rig.rows(id);
      expect(rows.every(({ state, result }) => state === 'done' && result)).toBe(true);
      const answered = new Set(rig.records.filter(({ answeredMs }) => answeredMs !== undefined).map(({ to }) => to));
      expect(
        rows
          .filter(({ result }) => result!.code === 'success')
          .map(({ phone }) => phone)
          .sort(),
      ).toEqual([...answered].sort());
      expect(rig.told.map(({ what }) => what)).toEqual(['initiated', 'complete']);
      expect(rig.broadcasts.figures).toEqual({ running: 0, calls: 0, queued: 0 });
      expect(rig.supervisor.liveCalls).toBe(0);
      expect(rig.clock.pendingTimers).toBe(0);
    }
  });
});
