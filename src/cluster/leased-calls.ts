/**
 * The commits of a node whose lease may lapse: what a decision leads to is done only while the node knows that nobody has
 * taken its calls over.
 *
 * Invariants
 *  - a commit resolves only while the lease is valid; a process that stood still after its write gives it again first: it
 *    was its own all the time, or it is `Fenced`;
 *  - a lease that lapses ends no call: after a failover of the store all of them have lapsed, and nobody was lost.
 */
import type { Clock } from '../core/clock.ts';
import type { CallStore } from '../runtime/call-store.ts';
import type { Cluster } from './cluster.ts';

/** How often a lapsed lease is looked at. */
const LOOK_MS = 50;
/**
 * After a lapse: who took this node for lost a moment before its lease was renewed adopts its calls until then, so that a
 * decision that is given again later is refused.
 */
const SETTLE_MS = 300;
/** As long as the store may be away; then the call ends. */
const PATIENCE_MS = 10_000;

export function leasedCalls(
  { commit }: Pick<CallStore, 'commit'>,
  cluster: Pick<Cluster, 'isLeaseValid'>,
  clock: Clock,
): CallStore['commit'] {
  const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  return async (write) => {
    await commit(write);
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    while (!cluster.isLeaseValid()) {
      do {
        if (clock.monotonicMs() >= untilMs) throw new Error('the lease of this node has lapsed');
        await wait(LOOK_MS);
      } while (!cluster.isLeaseValid());
      await wait(SETTLE_MS);
      await commit(write);
    }
  };
}
