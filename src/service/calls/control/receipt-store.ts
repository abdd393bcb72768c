/**
 * Port: receipts of idempotent requests. Receipts of calls and broadcasts are written in the first transaction of
 * these. Implemented in `store/`; the contract suite is `test/contracts/store/receipt-store.ts`.
 */
import type { Receipt } from '../../../base/core/receipt.ts';

export interface ReceiptStore {
  find(projectId: string, key: string): Promise<Receipt | undefined>;
  /** Replaces an older receipt with this key. Durable when it resolves. */
  add(receipt: Receipt): Promise<void>;
  /**
   * Claims the key for this node until the returned function is called. Undefined if another node holds it. Absent on a
   * single node.
   */
  hold?(projectId: string, key: string): Promise<(() => void) | undefined>;
  /** Deletes older receipts, and all but the newest `most` of each project. Returns how many. */
  prune(limits: { beforeMs: number; most: number }): Promise<number>;
}
