/** Metrics of the cluster, as this node sees it. */
import type { FigureSource, Reading } from '../core/figures.ts';
import type { Cluster, NodeInfo } from './cluster.ts';
import { withOtherFlows } from './watch-flows.ts';

export const clusterFigures = (
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes' | 'clockOffsetMs'>,
): FigureSource => ({
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
    {
      name: 'cluster_clock_offset_seconds',
      type: 'gauge',
      help: 'How far the clock of this node is ahead of that of Redis; absent: they were not compared',
      read: () => {
        const offsetMs = cluster.clockOffsetMs();
        return offsetMs === undefined ? undefined : offsetMs / 1000;
      },
    },
    {
      name: 'cluster_node_calls',
      type: 'gauge',
      help: 'Live calls of each node, as this one sees them',
      labels: ['node'],
      read: () => byNode(cluster, ({ liveCalls }) => liveCalls),
    },
    {
      name: 'cluster_node_load',
      type: 'gauge',
      help: 'Live calls of each node as a share of those that it may carry',
      labels: ['node'],
      read: () => byNode(cluster, ({ load }) => load),
    },
    {
      name: 'cluster_node_draining',
      type: 'gauge',
      help: 'Whether the node takes no new calls',
      labels: ['node'],
      read: () => byNode(cluster, ({ isDraining }) => Number(isDraining)),
    },
    {
      name: 'cluster_flows_differ',
      type: 'gauge',
      help: 'Nodes that take other flows than this one',
      read: () => withOtherFlows(cluster).length,
    },
  ],
});

/** Keyed by name, so that a restarted node keeps its time series. */
const byNode = (cluster: Pick<Cluster, 'nodes'>, value: (node: NodeInfo) => number): Reading[] =>
  [...new Map(cluster.nodes().map((node) => [node.name, value(node)]))].map(([node, read]) => ({
    labels: { node },
    value: read,
  }));

function ageOf(cluster: Pick<Cluster, 'me' | 'nodes'>): number | undefined {
  const mine = cluster.nodes().find(({ id }) => id === cluster.me);
  return mine && mine.leaseAgeMs / 1000;
}
