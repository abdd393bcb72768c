/** Room 1b: the nodes that are one service: this one's lease, and the ways to the others. */
import type { Forwarding } from '../api/forwarding.ts';
import { Adoption, type AdoptionParts } from '../cluster/adoption.ts';
import { createCallLocator } from '../cluster/call-locator.ts';
import { type Cluster, clusterOfOne, type NodeReport } from '../cluster/cluster.ts';
import { createForwardSigner } from '../cluster/forward-signature.ts';
import { SETTLE_MS } from '../cluster/leased-calls.ts';
import { lostNodes } from '../cluster/lost-nodes.ts';
import { Membership } from '../cluster/membership.ts';
import { createNodeSockets, type NodeSockets } from '../cluster/places/node-sockets.ts';
import type { PlaceStore } from '../cluster/places/place-store.ts';
import { servedReceivers } from '../cluster/served-receivers.ts';
import type { SharedParts, SharedStore } from '../cluster/shared-parts.ts';
import { letGoOfTaken, type TakenCallsParts } from '../cluster/taken-calls.ts';
import { watchFlows } from '../cluster/watch-flows.ts';
import { defined } from '../core/json.ts';
import { createHttpRelay } from '../http/http-relay.ts';
import type { ServedReceivers } from '../observers/webhooks/served-receivers.ts';
import { version } from '../version.ts';
import { archiveName } from './archive-name.ts';
import { type Base, urlOf } from './base.ts';
import { ProcessLoadMeter } from './process-load.ts';

/** What changes of this node. */
export type NodeState = Pick<NodeReport, 'liveCalls' | 'liveLegs' | 'liveSessions' | 'load' | 'flows'> & {
  [Key in 'notReady' | 'clockOffsetMs']?: NodeReport[Key] | undefined;
};

type AdoptedParts = Pick<AdoptionParts, 'callStore' | 'isRunning' | 'missingMs' | 'takeOver'> &
  Pick<TakenCallsParts, 'liveCalls' | 'letGo'>;

export interface ClusterRoom {
  cluster: Cluster;
  /** Absent: there is none that nodes share, or nothing is known of it. */
  store: SharedStore | undefined;
  /** Whether this life of a node is over. */
  isLost(node: string): boolean;
  /** What this node says of itself from now on. */
  reportBy(read: () => NodeState): void;
  /** What places need where there are other nodes: who has them, and how nodes speak to each other. */
  places?: PlaceStore;
  sockets?: NodeSockets;
  /** Absent: there are no other nodes, nor are there below. */
  readonly served?: ServedReceivers;
  forwarding(isHere: (callId: string) => boolean): Forwarding | undefined;
  /** Resolves when this node has its lease. */
  start(http: { host: string; port: number }): Promise<void>;
  /** From now on: takes over the calls that nobody carries any more, and lets go of those that others took over. */
  adopt(parts: AdoptedParts): void;
  /** The others learn at once what has changed. */
  announce(): void;
}

export function createCluster(base: Base, shared: SharedParts | undefined): ClusterRoom {
  const { config, clock, life: me, log, state, directory } = base;
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
    served: servedReceivers({ cluster, claims: shared.claims, clock }),
    ...(shared.places ? { places: shared.places, sockets: createNodeSockets({ me, signer, clock, log }) } : {}),
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

/** Nodes whose data cannot be asked for, by name: those that were here, and have not come back. */
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
