/** What a node does about lost nodes: the real search for their calls, and the real end of those. */
import { type RecoveryParts, recoverCall } from '../../src/calls/recover-calls.ts';
import { Adoption } from '../../src/cluster/adoption.ts';
import type { Cluster } from '../../src/cluster/cluster.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import type { RuntimePorts } from '../../src/runtime/ports.ts';
import type { Outside } from './outside.ts';
import type { SimulatedCalls } from './store-client.ts';

export interface AdopterParts {
  cluster: Cluster;
  calls: SimulatedCalls;
  clock: Clock;
  log: Log;
  deliveriesOf: RuntimePorts['deliveriesOf'];
  isRunning(callId: string): boolean;
  outside: Outside;
}

export function adoptLost({ cluster, calls, clock, log, deliveriesOf, isRunning, outside }: AdopterParts): void {
  const callStore: SimulatedCalls = {
    ...calls,
    async adopt(callId, by) {
      const fence = await calls.adopt(callId, by);
      if (fence !== undefined) outside.tookOver(callId, cluster.me, fence);
      return fence;
    },
  };
  const recovery = { callStore, clock, deliveriesOf, log, owner: cluster.me, recordings: NO_RECORDINGS };
  new Adoption({
    ...{ cluster, clock, log, isRunning },
    callStore: calls,
    takeOver: (callId, dead) => recoverCall(callId, dead, recovery as unknown as RecoveryParts),
  }).start();
}

const NO_RECORDINGS = { found: () => ({ failed: 'nothing was written' }) };
