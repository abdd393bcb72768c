/**
 * Guards the commits of a node whose lease may lapse: effects of a decision run only while the node is certain that no
 * other node has taken over its calls.
 *
 * Invariants
 *  - A commit is sent, and resolves, only while the lease is valid and has been for `SETTLE_MS`. If the process was
 *    suspended after its write, it writes again first: either it has owned the call throughout, or it is `Fenced`.
 *  - A lapsed lease ends no call: after a failover of the store all leases have lapsed, although no node was lost.
 */
import type { Clock } from '../../base/core/clock.ts';
import type { CallStore } from '../runtime/call-store.ts';
import type { Cluster } from './cluster.ts';

/** Interval of checks on a lapsed lease. */
const LOOK_MS = 50;
/** A node that considered this one lost just before the renewal has adopted its calls by then. */
export const SETTLE_MS = 300;
/** Time without a store after which a call ends, in ms. */
const LEASE_WAIT_MS = 10_000;

export function leasedCalls(
  { commit }: Pick<CallStore, 'commit'>,
  cluster: Pick<Cluster, 'leaseHeldMs'>,
  clock: Clock,
): CallStore['commit'] {
  const isSure = (): boolean => cluster.leaseHeldMs() >= SETTLE_MS;
  return async (write) => {
    const untilMs = clock.monotonicMs() + LEASE_WAIT_MS;
    do {
      while (!isSure()) {
        if (clock.monotonicMs() >= untilMs) throw new Error('this node has no valid lease');
        await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
      }
      await commit(write);
    } while (!isSure());
  };
}
