/** What a node does about lost nodes: the real search for their calls, and the real end of those, or their going on. */
import { type RecoveryParts, recoverCall } from '../../src/calls/recover-calls.ts';
import { Adoption } from '../../src/cluster/adoption.ts';
import type { Cluster } from '../../src/cluster/cluster.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import { adoptRun, type SurvivingEngine } from '../../src/runtime/adopt-run.ts';
import type { RuntimePorts } from '../../src/runtime/ports.ts';
import type { Supervisor } from '../../src/runtime/supervisor.ts';
import { flowNamed } from './flows.ts';
import type { Outside } from './outside.ts';
import type { SimulatedCalls } from './store-client.ts';

export interface AdopterParts {
  cluster: Cluster;
  calls: SimulatedCalls;
  clock: Clock;
  log: Log;
  ports: RuntimePorts;
  supervisor: Supervisor;
  /** One that outlives nodes. */
  engine: (RuntimePorts['engine'] & SurvivingEngine) | undefined;
  outside: Outside;
}

export function adoptLost(parts: AdopterParts): void {
  const { cluster, calls, clock, log, ports, supervisor, engine, outside } = parts;
  const callStore: SimulatedCalls = {
    ...calls,
    async adopt(callId, by) {
      const fence = await calls.adopt(callId, by);
      if (fence !== undefined) outside.tookOver(callId, cluster.me, fence);
      return fence;
    },
  };
  const { deliveriesOf } = ports;
  const recovery = { callStore, clock, deliveriesOf, log, owner: cluster.me, recordings: NO_RECORDINGS };
  const close = (callId: string, owner: string): Promise<boolean> =>
    recoverCall(callId, owner, recovery as unknown as RecoveryParts);

  async function goOn(callId: string, owner: string, surviving: NonNullable<typeof engine>): Promise<void> {
    const seen = await calls.ownership(callId);
    if (seen?.owner !== owner || seen.isEnded) return;
    const fence = await calls.adopt(callId, { owner: cluster.me, seenFence: seen.fence });
    if (fence === undefined) return;
    const record = await calls.call(callId);
    const journal = await calls.journal(callId);
    if (!record) return;
    const flow = flowNamed(record.flow)!;
    const taking: SurvivingEngine = {
      ...surviving,
      async take(legIds, underFence) {
        await surviving.take(legIds, underFence);
        outside.tookOver(callId, cluster.me, underFence);
      },
    };
    const adopted = { journal, record, fence, spec: { flow, secrets: {}, schedules: {} } };
    const run = await adoptRun(adopted, { ports, engine: taking, supervisor });
    if (run) return;
    const legIds = journal.flatMap((entry) =>
      entry.kind === 'started' && entry.leg !== undefined ? [entry.leg] : entry.kind === 'dialled' ? [entry.leg] : [],
    );
    await surviving.take(legIds, fence);
    for (const legId of legIds) surviving.send(legId, { type: 'hangup', cause: 41 });
    await close(callId, cluster.me);
  }

  new Adoption({
    ...{ cluster, clock, log },
    callStore: calls,
    isRunning: (callId) => supervisor.view(callId) !== undefined,
    takeOver: (callId, owner) => (engine ? goOn(callId, owner, engine) : close(callId, owner)),
  }).start();
}

const NO_RECORDINGS = { found: () => ({ failed: 'nothing was written' }) };
