/** Report of a broadcast, number by number, during and after it. */
import { describe, expect, it } from 'vitest';
import type { CalleePlan } from '../../../src/media/telephony/simulated/far-end.ts';
import type { NumberPage, NumberQuery } from '../../../src/service/calls/broadcast/broadcasts.ts';
import { CallError } from '../../../src/service/calls/call-error.ts';
import { PROJECT, phones, Rig, retries } from './rig.ts';

const PLANS: Record<string, CalleePlan> = {
  '1': { does: 'answer', ringsAfterMs: 100, afterMs: 1000 },
  '2': { does: 'no_answer', ringsAfterMs: 100 },
  '3': { does: 'no_answer', ringsAfterMs: 20_000 },
  '4': { does: 'busy' },
  '5': { does: 'busy' },
};

/** One of each, a moment after the beginning: connected, ringing, dialled, busy and to be called again, done; one not yet. */
async function midway(): Promise<{ rig: Rig; id: string; read(query?: Partial<NumberQuery>): Promise<NumberPage> }> {
  const rig = Rig.open({ callee: (to, attempt) => (to === '4' && attempt === 2 ? { does: 'declined' } : PLANS[to]!) });
  const id = await rig.create(['1', '2', '3', '4', '5', '6'], {
    pacing: { callsPerSecond: 2, maxConcurrent: 10 },
    retry: retries(1, 400, 'busy'),
    eventUrl: 'http://x.example',
    idleTimeoutMs: 60_000,
  });
  await rig.pass(2700);
  return { rig, id, read: (query = {}) => rig.broadcasts.report(PROJECT, id, { limit: 100, ...query }) };
}

const told = ({ rows }: NumberPage): string[] => rows.map(({ phone, status }) => `${phone} ${status}`);

describe('a report', () => {
  it('states the progress of each call', async () => {
    const { read } = await midway();
    const page = await read();
    expect(told(page)).toEqual(['1 connected', '2 ringing', '3 queued', '4 disconnected', '5 queued', '6 queued']);
    expect(page.rows.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 2, 1, 0]);
    expect(page.rows[3]!.result).toEqual({ code: 'failed', reason: 'Call Rejected', cause: 21 });
    expect(page.rows[4]!.result).toEqual({ code: 'failed', reason: 'Busy', cause: 17 });
    expect(page.next).toBeUndefined();
  });

  it('states since when a number rings, or is connected', async () => {
    const { rig, read } = await midway();
    const [connected, ringing] = (await read()).rows;
    const call = (row: typeof connected) => rig.supervisor.view(row!.callId!)!.record;
    expect(connected!.changedMs).toBe(call(connected).answeredMs);
    expect(ringing!.changedMs).toBe(call(ringing).ringingMs);
    expect([connected!.answeredMs, ringing!.answeredMs]).toEqual([connected!.changedMs, undefined]);
  });

  it.each([
    ['connected', ['1 connected']],
    ['ringing', ['2 ringing']],
    ['queued', ['3 queued', '5 queued', '6 queued']],
    ['disconnected', ['4 disconnected']],
  ] as const)('selects the numbers that are %s', async (state, found) => {
    const { read } = await midway();
    expect(told(await read({ state }))).toEqual(found);
    // The same, page by page.
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await read({ state, limit: 1, ...(cursor === '' ? {} : { cursor }) });
      expect(page.rows.length).toBe(1);
      seen.push(...told(page));
      cursor = page.next;
    }
    expect(seen).toEqual(found);
  });

  it('selects one number, one result, one reason', async () => {
    const { rig, id, read } = await midway();
    expect(told(await read({ phone: '+(5)' }))).toEqual(['5 queued']);
    expect(told(await read({ phone: 'tel:9' }))).toEqual([]);
    await rig.broadcasts.stop(PROJECT, id, { hangUp: true });
    await rig.finish(id);
    expect(told(await read({ code: 'success' }))).toEqual(['1 disconnected']);
    expect(told(await read({ reason: 'Broadcast Stopped' }))).toEqual([
      '2 disconnected',
      '3 disconnected',
      '6 disconnected',
    ]);
    expect(told(await read({ reason: 'Busy', code: 'failed' }))).toEqual(['5 disconnected']);
  });

  it('is limited to totals without rows or further pages', async () => {
    const { read } = await midway();
    expect(await read({ limit: 0 })).toEqual({ rows: [] });
  });

  it('lists every number once in pages, also during the broadcast', async () => {
    const rig = Rig.open();
    const id = await rig.create(phones(250), { pacing: { callsPerSecond: 50, maxConcurrent: 50 } });
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await rig.broadcasts.report(PROJECT, id, { limit: 40, ...(cursor === '' ? {} : { cursor }) });
      seen.push(...page.rows.map(({ phone }) => phone));
      cursor = page.next;
      await rig.pass(700);
    }
    expect(seen).toEqual(phones(250));
  });

  it.each(['', 'x', 'PjE', 'PmFiYw', 'Pi0x', `${'9'.repeat(40)}`])('has no page for the cursor %j', async (cursor) => {
    const { read } = await midway();
    const valid = (await read({ limit: 2 })).next!;
    expect(valid).toMatch(/^[A-Za-z0-9_-]+$/);
    if (cursor === 'PjE') expect(told(await read({ cursor }))).toEqual(told(await read()).slice(1));
    else await expect(read({ cursor })).rejects.toThrow(CallError);
  });

  it('counts calls in progress', async () => {
    const { rig, id } = await midway();
    expect(await rig.broadcasts.counts(PROJECT, id)).toMatchObject({
      ...{ numbers: 6, queued: 2, calling: 3, done: 1, ringing: 1, connected: 1, success: 0, failed: 1, attempts: 6 },
      reasons: { 'Call Rejected': 1 },
    });
    expect(rig.broadcasts.figures).toEqual({ running: 1, calls: 3, queued: 2 });
  });

  it('is limited to broadcasts of the project, and calls of the broadcast', async () => {
    const { rig, id } = await midway();
    const [connected] = await rig.rows(id);
    const { broadcasts } = rig;
    const call = await broadcasts.callOf(PROJECT, id, connected!.callId!);
    expect(call).toMatchObject({ state: 'connected', broadcastId: id });
    for (const ask of [
      () => broadcasts.find('other', id),
      () => broadcasts.find(PROJECT, 'x'),
      () => broadcasts.counts('other', id),
      () => broadcasts.report('other', id, { limit: 1 }),
      () => broadcasts.callOf('other', id, connected!.callId!),
    ]) {
      await expect(async () => ask()).rejects.toThrow(expect.objectContaining({ code: 'unknown_broadcast' }));
    }
    const second = await rig.create(['1']);
    await expect(broadcasts.callOf(PROJECT, second, connected!.callId!)).rejects.toThrow(
      expect.objectContaining({ code: 'unknown_call' }),
    );
    await expect(broadcasts.callOf(PROJECT, id, 'x')).rejects.toThrow(
      expect.objectContaining({ code: 'unknown_call' }),
    );
    expect((await broadcasts.list({ projectId: PROJECT, limit: 10 })).map(({ order }) => order.broadcastId)).toEqual([
      second,
      id,
    ]);
  });
});
