/** Detection of lost nodes. */
import { expect, it } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import type { NodeInfo } from '../../src/service/cluster/cluster.ts';
import { lostNodes } from '../../src/service/cluster/lost-nodes.ts';

const clusterOf = (clock: VirtualClock) => ({
  me: 'me',
  present: ['me', 'other'],
  sinceMs: clock.monotonicMs(),
  leaseHeldMs(): number {
    return clock.monotonicMs() - this.sinceMs;
  },
  nodes(): NodeInfo[] {
    return this.present.map((id) => ({ id }) as NodeInfo);
  },
  onChange: () => () => undefined,
});

it('counts a node as lost when it was missing for a second and the local lease never lapsed', async () => {
  const clock = new VirtualClock(0);
  const cluster = clusterOf(clock);
  const isLost = lostNodes(cluster, clock);
  await clock.advance(5000);
  expect(['me', 'other', 'unknown'].map(isLost)).toEqual([false, false, false]);
  cluster.present = ['me'];
  expect(isLost('other')).toBe(false);
  await clock.advance(900);
  // The store was unreachable: all leases lapsed.
  cluster.sinceMs = clock.monotonicMs();
  await clock.advance(500);
  expect(isLost('other')).toBe(false);
  cluster.present = ['me', 'other'];
  expect(isLost('other')).toBe(false);
  cluster.present = ['me'];
  expect(isLost('other')).toBe(false);
  await clock.advance(1000);
  expect(['me', 'other', 'unknown'].map(isLost)).toEqual([false, true, true]);
});
