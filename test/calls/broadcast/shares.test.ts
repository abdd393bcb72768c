/** Broadcasts and other calls of their node: numbers wait where another outgoing call would be refused. */
import { describe, expect, it } from 'vitest';
import type { CalleePlan } from '../../../src/media/telephony/simulated/far-end.ts';
import { placeCall } from '../../../src/service/calls/control/place-call.ts';
import { PROJECT, phones, Rig } from './rig.ts';

const OTHER = 'shop-2';
const FAST = { callsPerSecond: 40, maxConcurrent: 100 };
const LIMITS = { callsPerSecond: 200, maxConcurrent: 100, projectMaxConcurrent: 100 };
/** Calls stay up after their prompt. */
const STAYS = { eventUrl: 'http://x.example', idleTimeoutMs: 3_600_000 };
/** Calls that last longer than a test. */
const LONG: CalleePlan = { does: 'answer', afterMs: 100, talkMs: 600_000 };

/** The most calls of the project at once, looked at whenever something happens. */
async function mostCalls(rig: Rig, projectId: string, ms: number): Promise<number> {
  let most = 0;
  const untilMs = rig.clock.now() + ms;
  do {
    most = Math.max(most, rig.supervisor.liveCallsOf(projectId).outbound);
  } while (await rig.clock.advanceToNext(untilMs));
  return most;
}

const place = (rig: Rig, projectId: string, callId: string) =>
  placeCall({ callId, projectId, from: '1000', to: '2000', ringTimeoutMs: 30_000 }, rig.parts);

describe('a broadcast', () => {
  it('leaves the reserve of the node to callers', async () => {
    const rig = Rig.open({ limits: LIMITS, callee: () => LONG, callLimits: { calls: 20, inboundReservePercent: 10 } });
    await rig.create(phones(100), { ...STAYS, pacing: FAST });
    expect(await mostCalls(rig, PROJECT, 20_000)).toBe(18);
    await expect(place(rig, PROJECT, 'one-more')).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('keeps to the share of its project, and lets those of other projects continue', async () => {
    const rig = Rig.open({
      ...{ limits: LIMITS, callLimits: { calls: 40, inboundReservePercent: 10 } },
      projects: { [PROJECT]: {}, [OTHER]: {} },
      callee: (to) => (to.startsWith('1') ? LONG : { does: 'answer', talkMs: 500 }),
    });
    await rig.create(
      Array.from({ length: 100 }, (_, index) => `1${String(index).padStart(5, '0')}`),
      { ...STAYS, pacing: FAST },
    );
    await rig.create(
      Array.from({ length: 60 }, (_, index) => `2${String(index).padStart(5, '0')}`),
      {
        ...{ pacing: { callsPerSecond: 10, maxConcurrent: 100 }, projectId: OTHER },
      },
    );
    expect(await mostCalls(rig, PROJECT, 10_000)).toBe(29);
    expect(rig.dials.filter(({ to }) => to.startsWith('2'))).toHaveLength(60);
  });

  it('counts the other calls of its project, and continues when they have ended', async () => {
    const rig = Rig.open({
      ...{ limits: LIMITS, projects: { [PROJECT]: { maxCalls: 3 } } },
      callee: (to) => (to === '2000' ? { does: 'answer', talkMs: 10_000 } : { does: 'answer', talkMs: 500 }),
    });
    for (const call of ['a', 'b', 'c']) void place(rig, PROJECT, call);
    const id = await rig.create(phones(10), { ...STAYS, pacing: FAST });
    await rig.pass(9000);
    expect(rig.dials.map(({ to }) => to)).toEqual(['2000', '2000', '2000']);
    await rig.finish(id);
    expect(rig.dials).toHaveLength(13);
  });

  it('waits for the rate of its project, which REST shares', async () => {
    const rig = Rig.open({ limits: LIMITS, projects: { [PROJECT]: { callsPerSecond: 4 } } });
    await rig.create(phones(100), { ...STAYS, pacing: FAST });
    await rig.create(phones(100), { ...STAYS, pacing: FAST });
    await rig.pass(10_000);
    expect(rig.dials.length).toBeGreaterThanOrEqual(42);
    // Four at once, and four in each second.
    expect(rig.dials.length).toBeLessThanOrEqual(44);
    await expect(place(rig, PROJECT, 'too-early')).rejects.toMatchObject({
      ...{ code: 'too_many_requests', message: 'the project may place 4 calls per second' },
    });
  });

  it('ends at once when it is stopped while it waits for its project', async () => {
    const rig = Rig.open({ limits: LIMITS, callee: () => LONG, projects: { [PROJECT]: { maxCalls: 2 } } });
    const id = await rig.create(phones(10), { ...STAYS, pacing: FAST });
    await rig.pass(5000);
    await rig.broadcasts.stop(PROJECT, id, { hangUp: true });
    expect((await rig.finish(id, 5000)).state).toBe('stopped');
    expect(rig.dials).toHaveLength(2);
  });
});
