/** Metrics of the shared store. */
import type { DistributionReading, Figure, FigureSource } from '../../base/core/figures.ts';
import { replicasWanted } from './replicas-wanted.ts';
import type { SharedStore, StoreState } from './shared-parts.ts';

/** Metrics of the shared store. Without `store` they have no values. */
export function sharedStoreFigures(store: SharedStore | undefined): FigureSource {
  let state: StoreState | undefined;
  const gauge = (name: string, help: string, read: (of: StoreState) => number | undefined): Figure => ({
    ...{ name, type: 'gauge', help },
    read: () => state && read(state),
  });
  return {
    async refresh() {
      state = await store?.state();
    },
    figures: [
      gauge('store_reachable', 'In a cluster: 1 if the primary of Redis answers', ({ isReachable }) =>
        Number(isReachable),
      ),
      gauge('store_replicas', 'Replicas of Redis that follow its primary', ({ replicas }) => replicas),
      gauge(
        'store_replicas_wanted',
        'Replicas needed so that the loss of one Redis server does not stop the nodes, by cluster.durability',
        ({ durability }) => replicasWanted(durability),
      ),
      gauge(
        'store_replica_lag_bytes',
        'Lag of the most advanced replica behind the primary; absent without a replica',
        ({ replicaLagBytes }) => replicaLagBytes,
      ),
      gauge('store_memory_bytes', 'Memory used by Redis', ({ memoryBytes }) => memoryBytes),
      gauge(
        'store_memory_limit_bytes',
        'Memory limit of Redis (maxmemory); absent without a limit',
        ({ memoryLimitBytes }) => memoryLimitBytes,
      ),
      {
        name: 'store_commit_seconds',
        type: 'histogram',
        help: 'In a cluster: time until a write has the durability of cluster.durability',
        read: () => readingsOf(store?.commitSeconds),
      },
    ],
  };
}

const readingsOf = (value: DistributionReading | undefined) => (value ? [{ labels: {}, value }] : undefined);
