/** Handles lost nodes with the real code: finds their calls, then ends or adopts them. */
import type { Clock } from '../../src/base/core/clock.ts';
import type { Log } from '../../src/base/core/log.ts';
import type { SurvivingEngine } from '../../src/media/telephony/engine.ts';
import { type AdoptionCallParts, adoptCall } from '../../src/service/calls/recovery/adopt-call.ts';
import { Adoption } from '../../src/service/cluster/adoption.ts';
import type { Cluster } from '../../src/service/cluster/cluster.ts';
import type { RuntimePorts } from '../../src/service/runtime/ports.ts';
import type { Supervisor } from '../../src/service/runtime/supervisor.ts';
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
  /** The engine that outlives nodes, if there is one. */
  engine: (RuntimePorts['engine'] & SurvivingEngine) | undefined;
  outside: Outside;
}

export function adoptLost(parts: AdopterParts): void {
  const { cluster, calls, clock, log, ports, supervisor, engine, outside } = parts;
  const { deliveriesOf } = ports;
  const callStore: SimulatedCalls = {
    ...calls,
    async adopt(callId, by) {
      const fence = await calls.adopt(callId, by);
      // With an engine that outlives nodes, the previous owner's commands arrive until its connection is taken.
      if (fence !== undefined && !engine) outside.tookOver(callId, cluster.me, fence);
      return fence;
    },
  };
  const adoption = {
    ...{ callStore, clock, deliveriesOf, log, owner: cluster.me, recordings: NO_RECORDINGS },
    ...{ ports, supervisor, engine: ports.engine, failing: new Map() },
    ...{ flowOf: flowNamed, secrets: () => ({}), schedules: () => ({}), projects: { find: () => undefined } },
  };
  const takingFor = (callId: string): SurvivingEngine | undefined =>
    engine && {
      ...engine,
      async take(legs, fence) {
        await engine.take(legs, fence);
        outside.tookOver(callId, cluster.me, fence);
      },
    };

  new Adoption({
    ...{ cluster, clock, log },
    callStore: calls,
    isRunning: (callId) => supervisor.view(callId) !== undefined,
    missingMs: engine ? 0 : undefined,
    takeOver: (callId, owner) =>
      adoptCall(callId, owner, { ...adoption, surviving: takingFor(callId) } as unknown as AdoptionCallParts),
  }).start();
}

const NO_RECORDINGS = { found: () => ({ failed: 'nothing was written' }) };
