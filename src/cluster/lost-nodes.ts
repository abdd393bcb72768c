/**
 * Which lives of nodes are over. Neighbours: `adoption.ts`, which takes over their calls after the same time, and
 * `places/homes.ts`, which finds new homes for their conferences and queues.
 *
 * Invariant: only what is missing for `MISSING_MS` without a gap in the own lease is lost. After a failover of the store those
 * who come back late are not.
 */
import type { Clock } from '../core/clock.ts';
import type { Cluster } from './cluster.ts';

export const MISSING_MS = 1000;

/** Says of a node whether it is lost. It begins to count when it is asked for the first time, if nobody noticed before. */
export function lostNodes(
  cluster: Pick<Cluster, 'me' | 'leaseHeldMs' | 'nodes' | 'onChange'>,
  clock: Clock,
): (node: string) => boolean {
  /** Since when. */
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
