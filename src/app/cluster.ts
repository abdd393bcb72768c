/** Stage 1b of the composition: the cluster, with the lease of this node and its connections to the other nodes. */
import { defined } from '../base/core/json.ts';
import { createHttpRelay } from '../base/http/http-relay.ts';
import { version } from '../base/version.ts';
import type { Forwarding } from '../service/api/forwarding.ts';
import { Adoption, type AdoptionParts } from '../service/cluster/adoption.ts';
import { createCallLocator } from '../service/cluster/call-locator.ts';
import { type Cluster, clusterOfOne, type NodeReport } from '../service/cluster/cluster.ts';
import { createForwardSigner } from '../service/cluster/forward-signature.ts';
import { SETTLE_MS } from '../service/cluster/leased-calls.ts';
import { lostNodes } from '../service/cluster/lost-nodes.ts';
import { Membership } from '../service/cluster/membership.ts';
import { receiverOwnership } from '../service/cluster/receiver-ownership.ts';
import type { SharedParts, SharedStore } from '../service/cluster/shared-parts.ts';
import { letGoOfTaken, type TakenCallsParts } from '../service/cluster/taken-calls.ts';
import { createNodeSockets, type NodeSockets } from '../service/cluster/venues/node-sockets.ts';
import type { VenueStore } from '../service/cluster/venues/venue-store.ts';
import { watchFlows } from '../service/cluster/watch-flows.ts';
import type { ReceiverOwnership } from '../service/observers/webhooks/receiver-ownership.ts';
import { archiveName } from './archive-name.ts';
import { type Base, urlOf } from './base.ts';
import { ProcessLoadMeter } from './process-load.ts';

/** The variable state of this node. */
export type NodeState = Pick<
  NodeReport,
  'liveCalls' | 'maxCalls' | 'callsOf' | 'liveLegs' | 'liveSessions' | 'load' | 'flows'
> & {
  [Key in 'notReady' | 'clockOffsetMs']?: NodeReport[Key] | undefined;
};

type AdoptedParts = Pick<AdoptionParts, 'callStore' | 'isRunning' | 'missingMs' | 'takeOver'> &
  Pick<TakenCallsParts, 'liveCalls' | 'letGo'>;

export interface ClusterRoom {
  cluster: Cluster;
  /** Absent without a shared store, or if its state is unknown. */
  store: SharedStore | undefined;
  /** True if this epoch of a node has ended. */
  isLost(node: string): boolean;
  /** Sets the source of this node's reports. */
  reportBy(read: () => NodeState): void;
  /**
   * Parts for venues in a cluster: their owner nodes, and the connections between nodes. Absent without other nodes,
   * like the next two.
   */
  venueStore?: VenueStore;
  sockets?: NodeSockets;
  /** Absent without other nodes. */
  readonly receiverOwnership?: ReceiverOwnership;
  forwarding(isHere: (callId: string) => boolean): Forwarding | undefined;
  /** Resolves when this node has its lease. */
  start(http: { host: string; port: number }): Promise<void>;
  /** Starts to adopt the calls of lost nodes, and to release calls that other nodes have adopted. */
  adopt(parts: AdoptedParts): void;
  /** Sends the current report to the other nodes at once. */
  announce(): void;
}

export function createCluster(base: Base, shared: SharedParts | undefined): ClusterRoom {
  const { config, clock, epoch: me, log, state, directory } = base;
  const name = config.cluster?.node ?? 'callweave';
  const startedMs = clock.now();
  let read = (): NodeState => ({ liveCalls: 0, load: 0 });
  let address = state.publicUrl;
  const meter = new ProcessLoadMeter(clock);
  state.closers.push(() => meter.close());
  const report = (): Omit<NodeReport, 'id'> =>
    defined<Omit<NodeReport, 'id'>>({
      ...{ name, version: version(), archive: archiveName(name, directory), address, startedMs },
      ...read(),
      isDraining: state.drain !== 'open',
      process: meter.read(),
    });
  const reportBy: ClusterRoom['reportBy'] = (next) => {
    read = next;
  };
  if (!config.cluster || !shared) {
    return {
      cluster: clusterOfOne(me, report),
      store: undefined,
      isLost: () => false,
      reportBy,
      forwarding: () => undefined,
      async start(http) {
        address = urlOf(http);
      },
      adopt: () => undefined,
      announce: () => undefined,
    };
  }
  const { key, lease, address: given } = config.cluster;
  const cluster = new Membership({ me, store: shared.leases, clock, log, lease, report });
  const signer = createForwardSigner({ key, me, clock });
  return {
    cluster,
    store: shared.store,
    isLost: lostNodes(cluster, clock),
    reportBy,
    receiverOwnership: receiverOwnership({ cluster, claims: shared.claims, clock }),
    ...(shared.venueStore
      ? { venueStore: shared.venueStore, sockets: createNodeSockets({ me, signer, clock, log }) }
      : {}),
    forwarding(isHere) {
      const relay = createHttpRelay();
      state.closers.push(() => relay.close());
      return {
        ...{ relay, log, signer },
        locate: createCallLocator({ ...shared, cluster, isHere }),
        others: () => cluster.nodes().filter(({ id }) => id !== me),
        archive: archiveName(name, directory),
        lost: awayNodes(cluster),
      };
    },
    async start(http) {
      address = given ?? urlOf(http);
      state.closers.push(() => cluster.stop());
      await cluster.start();
      state.closers.push(watchFlows({ cluster, clock, log }));
    },
    adopt(parts) {
      const adoption = new Adoption({ ...parts, cluster, clock, log });
      adoption.start();
      state.closers.push(() => adoption.stop());
      const taken = { ...shared, ...parts, cluster, archive: archiveName(name, directory) };
      const look = (): Promise<void> =>
        letGoOfTaken(taken).catch((error: unknown) => log.warn('cluster.store_away', { work: 'taken', error }));
      state.closers.push(cluster.onRegained(() => void clock.after(SETTLE_MS, look)));
    },
    announce: () => cluster.announce(),
  };
}

/** Names of nodes whose data are unavailable: nodes that have left and not returned. */
function awayNodes(cluster: Cluster): () => readonly string[] {
  const lost = new Map<string, string>();
  cluster.onChange((change) => {
    for (const { archive, name } of change.lost) lost.set(archive, name);
    for (const { archive } of [...change.joined, ...cluster.nodes()]) lost.delete(archive);
    while (lost.size > MAX_AWAY) lost.delete(lost.keys().next().value!);
  });
  return () => [...lost.values()];
}

const MAX_AWAY = 100;
