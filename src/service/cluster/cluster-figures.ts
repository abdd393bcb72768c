/** Metrics of the cluster, as this node sees it. */
import type { FigureSource, Reading } from '../../base/core/figures.ts';
import type { Cluster, NodeInfo } from './cluster.ts';
import { withOtherFlows } from './watch-flows.ts';

export const clusterFigures = (
  cluster: Pick<Cluster, 'me' | 'isLeaseValid' | 'nodes' | 'clockOffsetMs'>,
): FigureSource => ({
  figures: [
    {
      name: 'cluster_nodes',
      type: 'gauge',
      help: 'Nodes of the cluster with a valid lease, as seen by this node; 1 for a single process',
      read: () => cluster.nodes().length,
    },
    {
      name: 'cluster_lease_valid',
      type: 'gauge',
      help: '1 if this node has its lease; 0 if it refuses calls and makes no decisions',
      read: () => Number(cluster.isLeaseValid()),
    },
    {
      name: 'cluster_lease_age_seconds',
      type: 'gauge',
      help: 'Time since this node renewed its lease; absent without a lease',
      read: () => ageOf(cluster),
    },
    {
      name: 'cluster_clock_offset_seconds',
      type: 'gauge',
      help: 'Clock of this node minus clock of Redis; absent before the first comparison',
      read: () => {
        const offsetMs = cluster.clockOffsetMs();
        return offsetMs === undefined ? undefined : offsetMs / 1000;
      },
    },
    {
      name: 'cluster_node_calls',
      type: 'gauge',
      help: 'Active calls of each node, as seen by this node',
      labels: ['node'],
      read: () => byNode(cluster, ({ liveCalls }) => liveCalls),
    },
    {
      name: 'cluster_node_load',
      type: 'gauge',
      help: 'Active calls of each node as a share of its limit',
      labels: ['node'],
      read: () => byNode(cluster, ({ load }) => load),
    },
    {
      name: 'cluster_node_draining',
      type: 'gauge',
      help: '1 if the node is draining',
      labels: ['node'],
      read: () => byNode(cluster, ({ isDraining }) => Number(isDraining)),
    },
    {
      name: 'cluster_flows_differ',
      type: 'gauge',
      help: 'Nodes whose flows differ from those of this node',
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
