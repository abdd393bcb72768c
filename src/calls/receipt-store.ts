/**
 * Port: receipts of requests that are to count once. Those of calls and broadcasts are written with them, in their first
 * transaction. Implemented in `store/`; the contract suite is `contracts/store/receipt-store.ts`.
 */
import type { Receipt } from '../core/receipt.ts';

export interface ReceiptStore {
  find(projectId: string, key: string): Promise<Receipt | undefined>;
  /** In place of an older one with this key. Resolves when it is durable. */
  add(receipt: Receipt): Promise<void>;
  /**
   * The right to be the one that carries out a request with this key, until the function that it returns is called; undefined:
   * another node has it. Absent: there is one node.
   */
  hold?(projectId: string, key: string): Promise<(() => void) | undefined>;
  /** Deletes those that are older, and all but the newest `most` of each project; how many. */
  prune(limits: { beforeMs: number; most: number }): Promise<number>;
}
