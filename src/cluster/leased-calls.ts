/**
 * The commits of a node whose lease may lapse: what a decision leads to is done only while the node knows that nobody has
 * taken its calls over.
 *
 * Invariants
 *  - a commit is sent, and resolves, only while the lease is valid and has been for `SETTLE_MS`; a process that stood still
 *    after its write gives it again first: the call was its own all the time, or it is `Fenced`;
 *  - a lease that lapses ends no call: after a failover of the store all of them have lapsed, and nobody was lost.
 */
import type { Clock } from '../core/clock.ts';
import type { CallStore } from '../runtime/call-store.ts';
import type { Cluster } from './cluster.ts';

/** How often a lapsed lease is looked at. */
const LOOK_MS = 50;
/** Who took this node for lost a moment before its lease was renewed has adopted its calls by then. */
export const SETTLE_MS = 300;
/** As long as the store may be away; then the call ends. */
const PATIENCE_MS = 10_000;

export function leasedCalls(
  { commit }: Pick<CallStore, 'commit'>,
  cluster: Pick<Cluster, 'leaseHeldMs'>,
  clock: Clock,
): CallStore['commit'] {
  const isSure = (): boolean => cluster.leaseHeldMs() >= SETTLE_MS;
  return async (write) => {
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    do {
      while (!isSure()) {
        if (clock.monotonicMs() >= untilMs) throw new Error('this node has no valid lease');
        await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
      }
      await commit(write);
    } while (!isSure());
  };
}
