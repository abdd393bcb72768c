/** Several nodes that call the numbers of the same broadcasts: rigs over one store, one clock and one gate. */
import { expect, it } from 'vitest';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import type { BroadcastStore } from '../../../src/service/calls/broadcast/broadcast-store.ts';
import type { DialGate } from '../../../src/service/calls/broadcast/dial-gate.ts';
import { createMemoryStore } from '../../memory-store.ts';
import { PROJECT, phones, Rig, START_MS } from './rig.ts';

const TALK = 'flow: talk\nstart: wait\nsteps: { wait: { pause: 1m, next: bye }, bye: { hangup: normal } }\n';
const TALKING = { pacing: { callsPerSecond: 10 }, action: { type: 'flow', flow: 'talk', input: {} } } as const;
const NOTHING = { granted: 0, waitMs: 1000 };

/** A gate that grants `perSecond` calls a second, first come, first served. */
function gateOf(clock: VirtualClock, perSecond: number): DialGate {
  let nextMs = 0;
  return {
    async grant(_lanes, most) {
      const nowMs = clock.monotonicMs();
      if (most === 0 || nowMs < nextMs) return { granted: 0, waitMs: Math.ceil(nextMs - nowMs) };
      nextMs = Math.max(nextMs, nowMs) + 1000 / perSecond;
      return { granted: 1, waitMs: 0 };
    },
  };
}

/** Data that the store of a single process need not keep. */
function keepingHangUps(store: BroadcastStore): BroadcastStore {
  const ids = new Set<string>();
  return {
    ...store,
    async change(id, change, deliveries) {
      if (change.hangUp) ids.add(id);
      return store.change(id, change, deliveries);
    },
    unfinished: async () =>
      (await store.unfinished()).map((each) => (ids.has(each.order.broadcastId) ? { ...each, hangUp: true } : each)),
  };
}

function nodes(count: number, perSecond: number): Rig[] {
  const clock = new VirtualClock(START_MS);
  const store = createMemoryStore();
  const shared = {
    ...{ clock, gate: gateOf(clock, perSecond), flows: { talk: TALK } },
    store: { ...store, broadcasts: keepingHangUps(store.broadcasts) },
  };
  return Array.from({ length: count }, () => Rig.open(shared));
}

const dialsOf = (rigs: readonly Rig[]): string[] => rigs.flatMap(({ dials }) => dials.map(({ to }) => to));

it('dials on all nodes without calling a number twice, within the rate together', async () => {
  const rigs = nodes(4, 10);
  const id = await rigs[0]!.create(phones(200), { pacing: { callsPerSecond: 10 } });
  await rigs[0]!.finish(id);
  expect(dialsOf(rigs).sort()).toEqual(phones(200).sort());
  for (const { dials } of rigs) expect(dials.length).toBeGreaterThan(0);
  const times = rigs.flatMap(({ dials }) => dials.map(({ atMs }) => atMs - START_MS)).sort((one, two) => one - two);
  expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(19_900);
  expect(times.at(-1)! - times[0]!).toBeLessThan(21_000);
  for (const rig of rigs) await rig.pass(2000);
  expect(rigs.map(({ broadcasts }) => broadcasts.figures.running)).toEqual([0, 0, 0, 0]);
});

it('stops a broadcast on all nodes by a stop on one', async () => {
  const rigs = nodes(3, 10);
  const id = await rigs[0]!.create(phones(500), { pacing: { callsPerSecond: 10 } });
  await rigs[0]!.pass(5000);
  await rigs[1]!.broadcasts.stop(PROJECT, id, { hangUp: false });
  await rigs[0]!.pass(1500);
  const dialled = dialsOf(rigs).length;
  expect(dialled).toBeLessThan(70);
  expect((await rigs[0]!.finish(id)).state).toBe('stopped');
  expect(dialsOf(rigs)).toHaveLength(dialled);
  expect(await rigs[0]!.store.broadcasts.counts(id)).toMatchObject({ done: 500, queued: 0, calling: 0 });
});

it('hangs up the calls of all nodes by a stop, also from a node that does not call', async () => {
  const rigs = nodes(2, 10);
  const id = await rigs[0]!.create(phones(100), TALKING);
  await rigs[0]!.pass(4000);
  const idle = Rig.open({ clock: rigs[0]!.clock, store: rigs[0]!.store, gate: { grant: async () => NOTHING } });
  expect(rigs.map(({ supervisor }) => supervisor.liveCalls > 0)).toEqual([true, true]);
  await idle.broadcasts.stop(PROJECT, id, { hangUp: true });
  await idle.pass(2500);
  expect(rigs.map(({ supervisor }) => supervisor.liveCalls)).toEqual([0, 0]);
  expect(await idle.find(id)).toMatchObject({ state: 'stopped' });
  expect((await idle.find(id)).endedMs).toBeDefined();
});

it('leaves the numbers of a draining node to the others, and dials again after the drain is cancelled', async () => {
  const rigs = nodes(2, 10);
  const id = await rigs[0]!.create(phones(300), { pacing: { callsPerSecond: 10 } });
  await rigs[0]!.pass(5000);
  rigs[0]!.broadcasts.pause(true);
  const [dialled, others] = [rigs[0]!.dials.length, rigs[1]!.dials.length];
  await rigs[0]!.pass(5000);
  expect(rigs[0]!.dials.length - dialled).toBeLessThanOrEqual(1);
  expect(rigs[1]!.dials.length - others).toBeGreaterThan(48);
  rigs[0]!.broadcasts.pause(false);
  await rigs[0]!.finish(id);
  expect(rigs[0]!.dials.length - dialled).toBeGreaterThan(50);
  expect(dialsOf(rigs).sort()).toEqual(phones(300).sort());
});

it('reports the calls of all nodes at any node', async () => {
  const rigs = nodes(2, 10);
  const id = await rigs[0]!.create(phones(20), TALKING);
  await rigs[0]!.pass(2550);
  const counts = await Promise.all(rigs.map(({ broadcasts }) => broadcasts.counts(PROJECT, id)));
  expect(counts[0]).toMatchObject({ calling: 20, connected: expect.any(Number) });
  expect(counts[0]!.connected).toBeGreaterThan(10);
  expect(counts[1]).toEqual(counts[0]);
  const pages = await Promise.all(rigs.map(({ broadcasts }) => broadcasts.report(PROJECT, id, { limit: 99 })));
  expect(pages[1]).toEqual(pages[0]);
  expect(new Set(pages[0]!.rows.map(({ status }) => status))).toEqual(new Set(['connected', 'ringing']));
});
