/** Life of a broadcast: dialled, retried, reported, ended. */
import { describe, expect, it } from 'vitest';
import { phones, Rig, retries } from './rig.ts';

describe('a broadcast', () => {
  it('calls every number once, reports the results, and ends', async () => {
    const rig = Rig.open();
    const [one, two, three] = phones(3);
    const id = await rig.create([one!, two!, three!], { eventUrl: 'http://127.0.0.1/events' });
    expect(await rig.find(id)).toMatchObject({ state: 'initiated', numbers: 3 });
    expect(rig.dials).toEqual([]);
    const ended = await rig.finish(id);
    expect(ended).toMatchObject({ state: 'completed', startedMs: rig.startMs });
    expect(await rig.results(id)).toEqual({
      [one!]: 'success success 1',
      [two!]: 'success success 1',
      [three!]: 'success success 1',
    });
    expect(rig.told.map(({ what }) => what)).toEqual(['initiated', 'complete']);
    expect(rig.told[1]!.counts).toMatchObject({ success: 3, failed: 0, attempts: 3 });
    expect(rig.crashes).toEqual([]);
    expect(rig.clock.pendingTimers).toBe(0);
    expect(rig.broadcasts.figures).toEqual({ running: 0, calls: 0, queued: 0 });
  });

  it('calls a busy number again', async () => {
    const rig = Rig.open({
      callee: (_to, attempt) => (attempt < 3 ? { does: 'busy' } : { does: 'answer', talkMs: 10 }),
    });
    const id = await rig.create(phones(1), { retry: retries(3, 7000) });
    await rig.finish(id);
    expect(Object.values(await rig.results(id))).toEqual(['success success 3']);
    expect(rig.dials.map(({ atMs }) => atMs - rig.startMs)).toEqual([0, 7000, 14_000]);
  });
});
