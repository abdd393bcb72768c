/**
 * Decides which node epochs are lost. Neighbours: `adoption.ts` takes over their calls after the same time,
 * `venues/venue-ownership.ts` assigns new owner nodes to their conferences and queues.
 *
 * Invariant: a node is lost only if it has been missing for `MISSING_MS` without a gap in this node's lease. After a
 * failover of the store, nodes that return late are not lost.
 */
import type { Clock } from '../../base/core/clock.ts';
import type { Cluster } from './cluster.ts';

export const MISSING_MS = 1000;

/** Returns a predicate for lost nodes. An unknown node counts as missing from the first query on. */
export function lostNodes(
  cluster: Pick<Cluster, 'me' | 'leaseHeldMs' | 'nodes' | 'onChange'>,
  clock: Clock,
): (node: string) => boolean {
  /** Time since which each node is missing. */
  const missing = new Map<string, number>();
  cluster.onChange(({ joined, lost }) => {
    for (const { id } of lost) missing.set(id, clock.monotonicMs());
    for (const { id } of joined) missing.delete(id);
  });
  return (node) => {
    if (node === cluster.me || cluster.nodes().some(({ id }) => id === node)) {
      missing.delete(node);
      return false;
    }
    const nowMs = clock.monotonicMs();
    const sinceMs = missing.get(node) ?? nowMs;
    missing.set(node, sinceMs);
    return Math.min(nowMs - sinceMs, cluster.leaseHeldMs()) >= MISSING_MS;
  };
}
