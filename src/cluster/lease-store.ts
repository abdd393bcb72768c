/** The port to what the nodes keep of each other: one lease per life, which ends by itself. `store/redis/` has it. */
import type { NodeReport } from './cluster.ts';

export interface LeaseStore {
  /**
   * Renews the lease of this node, and replaces what it says of itself. Resolves with the time by the clock of the store, in
   * ms since 1970; undefined if it has none. Rejects with a `WriteError` if the store is away or refuses to write.
   */
  renew(report: NodeReport, expiresMs: number): Promise<number | undefined>;
  /** Every node that has not left, and for how long its lease is still valid: 0 when it is over. */
  list(): Promise<{ report: NodeReport; leftMs: number }[]>;
  /** The node leaves, or is forgotten after nothing of it is left. */
  remove(id: string): Promise<void>;
}
