import { expect, it } from 'vitest';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { Adoption, type AdoptionParts } from '../../src/service/cluster/adoption.ts';
import type { ClusterChange, NodeInfo } from '../../src/service/cluster/cluster.ts';

it('adopts a call again within two seconds after its adoption failed', async () => {
  const clock = new VirtualClock();
  const owners = new Map([['call', 'lost']]);
  let change: ((change: ClusterChange) => void) | undefined;
  const tried: [owner: string, atMs: number][] = [];
  const startMs = clock.now();
  const adoption = new Adoption({
    ...{ clock, log: silentLog, missingMs: 0 },
    cluster: {
      ...{ me: 'me', isLeaseValid: () => true, nodes: () => [] },
      onChange: (listener) => {
        change = listener;
        return () => undefined;
      },
    },
    callStore: {
      owners: async () => [...new Set(owners.values())],
      ownedBy: async (life) => [...owners].flatMap(([callId, owner]) => (owner === life ? [callId] : [])),
    },
    isRunning: () => tried.length === 3,
    takeOver: async (callId, owner) => {
      tried.push([owner, clock.now() - startMs]);
      owners.set(callId, 'me');
      if (tried.length < 3) throw new Error('the engine does not answer');
    },
  } satisfies AdoptionParts);
  adoption.start();
  // Between two searches for lost calls.
  await clock.advance(1000);
  change!({ joined: [], lost: [{ id: 'lost' } as NodeInfo] });
  await clock.advance(10_000);
  adoption.stop();
  expect(tried.map(([owner]) => owner)).toEqual(['lost', 'me', 'me']);
  const waits = tried.slice(1).map(([, atMs], index) => atMs - tried[index]![1]);
  expect(Math.max(...waits)).toBeLessThanOrEqual(2000);
});
