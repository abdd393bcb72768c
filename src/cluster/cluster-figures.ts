/** The figures of the cluster, as this node sees it. */
import type { FigureSource } from '../core/figures.ts';
import type { Cluster } from './cluster.ts';

export const clusterFigures = (cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes'>): FigureSource => ({
  figures: [
    {
      name: 'cluster_nodes',
      type: 'gauge',
      help: 'Nodes of the cluster with a valid lease, as this one sees them; a single process is one',
      read: () => cluster.nodes().length,
    },
    {
      name: 'cluster_lease_valid',
      type: 'gauge',
      help: 'Whether this node has its lease; 0: it takes no calls and decides nothing',
      read: () => Number(cluster.isLeaseValid()),
    },
    {
      name: 'cluster_lease_age_seconds',
      type: 'gauge',
      help: 'The time since this node renewed its lease; absent: it has none',
      read: () => ageOf(cluster),
    },
  ],
});

function ageOf(cluster: Pick<Cluster, 'me' | 'nodes'>): number | undefined {
  const mine = cluster.nodes().find(({ id }) => id === cluster.me);
  return mine && mine.leaseAgeMs / 1000;
}
