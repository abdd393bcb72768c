/** What the stores of one database share. */
import type { DatabaseSync } from 'node:sqlite';
import type { Delivery } from '../../core/delivery.ts';
import type { Receipt } from '../../core/receipt.ts';
import type { DeliveryListeners } from '../delivery-listeners.ts';
import type { GroupCommit } from './group-commit.ts';
import type { RunInTransaction } from './transaction.ts';

export interface StoreParts {
  database: DatabaseSync;
  /** Writes at once, before it returns. */
  transaction: RunInTransaction;
  /** Writes soon, together with the writes of other calls. */
  group: GroupCommit;
  listeners: DeliveryListeners;
  /** Copies a delivery; the function that it returns inserts the copy, and must be called inside a transaction. */
  deliveryWriter(delivery: Delivery): () => void;
  /** Likewise for a receipt. */
  receiptWriter(receipt: Receipt): () => void;
}
