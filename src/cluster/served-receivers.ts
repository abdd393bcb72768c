/** The receivers of webhooks that this node serves: each is served by one of those nodes that are there, and no other sends to it. */
import type { ServedReceivers } from '../observers/webhooks/served-receivers.ts';
import type { Cluster } from './cluster.ts';
import { nodeFor } from './rendezvous.ts';

/** As many as there may be with something waiting, kept since each event asks. */
const MOST_KNOWN = 50_000;

export function servedReceivers(cluster: Cluster): ServedReceivers {
  const known = new Map<string, boolean>();
  cluster.onChange(() => known.clear());
  return {
    isMine(receiver) {
      // Another may serve it already.
      if (!cluster.isLeaseValid()) return false;
      const before = known.get(receiver);
      if (before !== undefined) return before;
      const isMine =
        nodeFor(
          receiver,
          cluster.nodes().map(({ id }) => id),
        ) === cluster.me;
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(receiver, isMine);
      return isMine;
    },
    onChange: (listener) => cluster.onChange(listener),
  };
}
