/**
 * Dial requests are stored before they are acknowledged: each acknowledged call has its end reported, even after a
 * crash.
 */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { CallStore } from '../../src/service/runtime/call-store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { ApiRig } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

/** A store whose commits wait until they are let go, or fail. */
function slowStore(): { store: Store; writing: () => number; write(): void; fail(): void } {
  const store = createMemoryStore();
  const waiting: { done(): void; failed(): void }[] = [];
  const commit = store.calls.commit.bind(store.calls);
  const slowly: CallStore['commit'] = async (write) => {
    await new Promise<void>((done, reject) => {
      waiting.push({ done, failed: () => reject(new Error('the disk is full')) });
    });
    return commit(write);
  };
  Object.assign(store.calls, { commit: slowly });
  return {
    store,
    writing: () => waiting.length,
    write: () => waiting.shift()!.done(),
    fail: () => waiting.shift()!.failed(),
  };
}

const ROOMS = `${NUMBERS}rooms: [{ room_id: lobby }]\n`;
const DIALLED = { from: '1000', to: '2000' };

const DIALS: [string, string][] = [
  ['POST', '/voice/v1/call'],
  ['POST', '/voice/v1/calls'],
  ['POST', '/voice/v1/conference'],
  ['POST', '/voice/v1/room/lobby/join'],
];

async function untilWriting(slow: { writing: () => number }): Promise<void> {
  while (slow.writing() === 0) await new Promise((resolve) => setImmediate(resolve));
  // An answer sent too early would have arrived by then.
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a request that dials', () => {
  it.each(DIALS)('stores %s %s before the answer and the dialling', async (method, path) => {
    const slow = slowStore();
    const rig = await ApiRig.open({ config: ROOMS, store: slow.store });
    const happened: string[] = [];
    const asked = rig.request(method, path, DIALLED).then(({ status }) => happened.push(`answered ${status}`));
    await untilWriting(slow);
    expect([happened, rig.farEnds.length]).toEqual([[], 0]);
    slow.write();
    await asked;
    expect([happened, rig.farEnds.length]).toEqual([['answered 200'], 1]);
    await rig.crash();
  });

  it('stores PUT /voice/v1/conference/{conference_id} before the answer', async () => {
    const slow = slowStore();
    const rig = await ApiRig.open({ config: ROOMS, store: slow.store, callee: { does: 'no_answer' } });
    const first = rig.request('POST', '/voice/v1/conference', DIALLED);
    await untilWriting(slow);
    slow.write();
    const { body } = await first;
    let isAnswered = false;
    const asked = rig.request('PUT', `/voice/v1/conference/${body['conference_id']}`, DIALLED).then(({ status }) => {
      isAnswered = true;
      expect(status).toBe(200);
    });
    await untilWriting(slow);
    expect(isAnswered).toBe(false);
    slow.write();
    await asked;
    await rig.crash();
  });

  it('refuses a request that cannot be stored, without dialling', async () => {
    const slow = slowStore();
    const rig = await ApiRig.open({ config: ROOMS, store: slow.store });
    const asked = rig.request('POST', '/voice/v1/call', DIALLED);
    await untilWriting(slow);
    slow.fail();
    await untilWriting(slow);
    slow.fail();
    const { status, body } = await asked;
    expect([status, body['result'], body['state']]).toEqual([503, 503, 'failed']);
    expect(rig.farEnds).toEqual([]);
    await rig.crash();
  });

  it('reports a stored call that was not dialled as failed after a restart, without dialling', async () => {
    const store = createMemoryStore();
    const rig = await ApiRig.open({ config: NUMBERS, store, callee: { does: 'no_answer' } });
    const call = await rig.dial();
    await rig.crash();
    const next = await openRig({ store });
    await next.pass(1000);
    const told = (await store.outbox.headOfLine(call, 9)).map(({ body }) => (JSON.parse(body) as JsonObject)['state']);
    expect(told).toEqual(['failed']);
    expect(next.farEnds).toEqual([]);
  });
});
