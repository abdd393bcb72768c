/** Time of the final event of a broadcast: after all events that its calls sent to the same URL. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { BROADCAST, broadcastInTalk, CALLEE_NUMBERS, createBroadcast } from './broadcast-rig.ts';
import { ApiRig, type DeliveredEvent } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const ORDER: JsonObject = {
  broadcast_numbers_array: [CALLEE_NUMBERS.talks, CALLEE_NUMBERS.busy],
  call_param: { number_of_retries: 0, idle_timeout: 1 },
};

/** States of the accepted events, in the order of acceptance. */
function taking(rig: ApiRig, refuses: (told: DeliveredEvent) => boolean): string[] {
  const taken: string[] = [];
  rig.answerEvent = (told) => {
    if (refuses(told)) return { status: 500 };
    taken.push(String(told.body['state']));
    return { status: 204 };
  };
  return taken;
}

const isEndOf = (to: string, { body }: DeliveredEvent): boolean =>
  body['state'] === 'disconnected' && body['to'] === to;

describe('broadcastcomplete', () => {
  it.each([
    ['event_url alone', {}],
    ['call_handler_url, which is the same', { call_handler_url: 'HOOK' }],
  ])('comes after the last event of its calls, which is tried again, with %s', async (_, more) => {
    const rig = await openRig();
    let refusals = 4;
    const taken = taking(rig, (told) => isEndOf(CALLEE_NUMBERS.busy, told) && refusals-- > 0);
    const urls = Object.fromEntries(Object.keys(more).map((key) => [key, rig.webhookUrl]));
    await createBroadcast(rig, { ...ORDER, ...urls });
    await rig.pass(30_000);
    expect(await rig.store.broadcasts.unfinished()).toEqual([]);
    expect(taken).not.toContain('broadcastcomplete');
    await rig.pass(1_200_000);
    expect(taken.slice(-2)).toEqual(['disconnected', 'broadcastcomplete']);
    expect(taken.filter((word) => word === 'disconnected')).toHaveLength(2);
  });

  it('arrives after the first event of the broadcast, however long that takes', async () => {
    const rig = await openRig();
    let refusals = 4;
    const taken = taking(rig, ({ body }) => body['state'] === 'initiated' && refusals-- > 0);
    await createBroadcast(rig, ORDER);
    await rig.pass(1_200_000);
    expect(taken.slice(-2)).toEqual(['initiated', 'broadcastcomplete']);
  });

  it('does not wait for events to other URLs', async () => {
    const rig = await openRig();
    const taken = taking(rig, (told) => isEndOf(CALLEE_NUMBERS.busy, told));
    await createBroadcast(rig, { ...ORDER, call_handler_url: `${rig.webhookUrl}/calls` });
    await rig.pass(30_000);
    expect(taken).toContain('broadcastcomplete');
  });

  it('arrives after the last event of its calls is dead-lettered', async () => {
    const rig = await openRig();
    const taken = taking(rig, (told) => isEndOf(CALLEE_NUMBERS.busy, told));
    await createBroadcast(rig, ORDER);
    await rig.pass(5 * 3_600_000);
    expect(taken).not.toContain('broadcastcomplete');
    await rig.pass(24 * 3_600_000);
    expect(taken.at(-1)).toBe('broadcastcomplete');
  });

  it('stays pending across a restart of the service', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'callweave-end-')), 'callweave.db');
    const clock = new VirtualClock();
    const before = await ApiRig.open({ config: NUMBERS, store: openSqliteStore({ file, clock }) });
    const taken = taking(before, (told) => isEndOf(CALLEE_NUMBERS.busy, told));
    await createBroadcast(before, ORDER);
    await before.pass(30_000);
    expect(await before.store.broadcasts.unfinished()).toEqual([]);
    expect(taken).not.toContain('broadcastcomplete');
    before.answerEvent = ({ body }) => {
      taken.push(String(body['state']));
      return { status: 204 };
    };
    // A second run on the same file. The first one never sends again, because its clock is stopped.
    const rig = await openRig({ store: openSqliteStore({ file, clock }) });
    await rig.pass(1_200_000);
    expect(taken.slice(-2)).toEqual(['disconnected', 'broadcastcomplete']);
    await before.crash();
  });

  it('arrives after the final events of calls that a crash ended, also if the broadcast was stopped before', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'callweave-end-')), 'callweave.db');
    const clock = new VirtualClock();
    const before = await ApiRig.open({ config: NUMBERS, store: openSqliteStore({ file, clock }) });
    const taken = taking(before, () => false);
    const { id } = await broadcastInTalk(before);
    expect((await before.request('DELETE', `${BROADCAST}/${id}`)).status).toBe(200);
    await before.settle();
    expect(taken.at(-1)).toBe('connected');
    // The first run is inactive, because its clock is stopped.
    const rig = await openRig({ store: openSqliteStore({ file, clock }) });
    await rig.pass(20_000);
    expect(taken.slice(-2)).toEqual(['disconnected', 'broadcastcomplete']);
    await before.crash();
  });
});
