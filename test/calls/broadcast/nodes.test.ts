/** Several nodes that call the numbers of the same broadcasts: rigs over one store, one clock and one gate. */
import { expect, it } from 'vitest';
import type { DialGate } from '../../../src/calls/broadcast/dial-gate.ts';
import { VirtualClock } from '../../../src/testkit/virtual-clock.ts';
import { createMemoryStore } from '../../memory-store.ts';
import { PROJECT, phones, Rig, START_MS } from './rig.ts';

/** So many calls in each second, for whoever asks first. */
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

function nodes(count: number, perSecond: number): Rig[] {
  const clock = new VirtualClock(START_MS);
  const shared = { clock, store: createMemoryStore(), gate: gateOf(clock, perSecond) };
  return Array.from({ length: count }, () => Rig.open(shared));
}

const dialsOf = (rigs: readonly Rig[]): string[] => rigs.flatMap(({ dials }) => dials.map(({ to }) => to));

it('all of them dial, nobody is called twice, and together they keep the pace', async () => {
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

it('a stop on one stops it on all', async () => {
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
