/** Metrics of the shared store. */
import type { DistributionReading, Figure, FigureSource } from '../core/figures.ts';
import { replicasWanted } from './replicas-wanted.ts';
import type { SharedStore, StoreState } from './shared-parts.ts';

/** Without `store` the metrics have no values. */
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
      gauge('store_reachable', 'In a cluster: whether the primary of Redis answers', ({ isReachable }) =>
        Number(isReachable),
      ),
      gauge('store_replicas', 'Replicas of Redis that follow its primary', ({ replicas }) => replicas),
      gauge(
        'store_replicas_wanted',
        'Replicas with which the loss of one server of Redis does not stop the nodes, by cluster.durability',
        ({ durability }) => replicasWanted(durability),
      ),
      gauge(
        'store_replica_lag_bytes',
        'What the replica that has the most lacks of the primary; absent: there is no replica',
        ({ replicaLagBytes }) => replicaLagBytes,
      ),
      gauge('store_memory_bytes', 'Memory that the data in Redis take', ({ memoryBytes }) => memoryBytes),
      gauge(
        'store_memory_limit_bytes',
        'The memory that Redis may use (maxmemory); absent: it has no limit',
        ({ memoryLimitBytes }) => memoryLimitBytes,
      ),
      {
        name: 'store_commit_seconds',
        type: 'histogram',
        help: 'In a cluster: how long a write took until it was as durable as cluster.durability says',
        read: () => readingsOf(store?.commitSeconds),
      },
    ],
  };
}

const readingsOf = (value: DistributionReading | undefined) => (value ? [{ labels: {}, value }] : undefined);
