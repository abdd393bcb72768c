/** Several services as nodes of one cluster, in one process and on one clock; their shared state is in memory. */
import type { AppParts } from '../../src/app.ts';
import { Distribution } from '../../src/base/core/figures.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import type { StudioTable } from '../../src/service/calls/studio/studio-table.ts';
import { FORWARD_HEADER } from '../../src/service/cluster/forward-signature.ts';
import type { StoreState } from '../../src/service/cluster/shared-parts.ts';
import { createMemoryClaims } from '../memory-claims.ts';
import { type Link, SimulatedLeases } from '../nodes/simulated-leases.ts';
import type { ApiRig, ApiRigOptions } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

export const CLUSTER_KEY = 'the key that only the nodes know, and nobody else';
export { FORWARD_HEADER };

export interface NodeLink extends Link {
  /** Offset of the clock of the node from that of the other nodes. */
  clockAheadMs?: number;
}

export interface Node {
  id: string;
  rig: ApiRig;
  link: NodeLink;
}

export interface Nodes {
  clock: VirtualClock;
  nodes: Node[];
}

/** Nodes `one`, `two` …; `state`: how the store is doing that they share. */
export async function openNodes(
  names: readonly string[],
  { state, studioTable, ...options }: ApiRigOptions & { state?: StoreState; studioTable?: StudioTable } = {},
): Promise<Nodes> {
  const clock = new VirtualClock();
  const leases = new SimulatedLeases(clock);
  const claims = createMemoryClaims();
  const nodes: Node[] = [];
  const ownershipOf = async (callId: string) => {
    for (const { id, rig } of nodes) {
      const record = await rig.store.calls.call(callId);
      if (record) return { owner: id, isEnded: record.endedMs !== undefined };
    }
    return undefined;
  };
  const archiveOf = async (callId: string) => {
    const owner = (await ownershipOf(callId))?.owner;
    return nodes.find(({ id }) => id === owner)?.rig.archive;
  };
  for (const name of names) {
    const id = `${name}-1-aaaa`;
    const link: NodeLink = {};
    const shared: AppParts['shared'] = {
      leases: leases.connect(link),
      claims,
      ...{ ownershipOf, archiveOf },
      ...(studioTable && { studioTable }),
      ...(state ? { store: { state: async () => state, commitSeconds: new Distribution([1]) } } : {}),
    };
    const cluster = `cluster: { redis: { url: "redis://127.0.0.1:1" }, key: "${CLUSTER_KEY}", node: ${name} }\n`;
    const config = `${NUMBERS}${cluster}${options.config ?? ''}`;
    nodes.push({
      id,
      link,
      rig: await openRig({ ...options, clock: clockOf(link, clock), epoch: id, shared, config }),
    });
  }
  // Until all have seen each other.
  await clock.advance(1000);
  return { clock, nodes };
}

/** Clock of a node: its time may be ahead, but its timers run on the shared clock of all nodes. */
const clockOf = (link: NodeLink, clock: VirtualClock): VirtualClock =>
  new Proxy(clock, {
    get(target, key) {
      if (key === 'now') return () => target.now() + (link.clockAheadMs ?? 0);
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
