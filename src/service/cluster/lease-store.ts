/** Port: leases of the nodes, one per epoch, which expire unless renewed. Implemented in `service/store/redis/`. */
import type { NodeReport } from './cluster.ts';

export interface LeaseStore {
  /**
   * Renews the lease of this node and replaces its report. Resolves with the time of the store's clock, in ms since
   * 1970; undefined if it has none. Rejects with a `WriteError` if the store is unavailable or refuses to write.
   */
  renew(report: NodeReport, expiresMs: number): Promise<number | undefined>;
  /** All nodes that have not left, with the remaining validity of their lease; 0 if it has expired. */
  list(): Promise<{ report: NodeReport; leftMs: number }[]>;
  /** Removes a node that leaves, or that has left no data behind. */
  remove(id: string): Promise<void>;
}
