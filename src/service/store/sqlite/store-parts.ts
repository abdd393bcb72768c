/** Dependencies shared by the stores of one database. */
import type { DatabaseSync } from 'node:sqlite';
import type { Delivery } from '../../../base/core/delivery.ts';
import type { Receipt } from '../../../base/core/receipt.ts';
import type { DeliveryListeners } from '../delivery-listeners.ts';
import type { GroupCommit } from './group-commit.ts';
import type { RunInTransaction } from './transaction.ts';

export interface StoreParts {
  database: DatabaseSync;
  /** Writes synchronously. */
  transaction: RunInTransaction;
  /** Writes soon, grouped with the writes of other calls. */
  group: GroupCommit;
  listeners: DeliveryListeners;
  /** Copies a delivery; the returned function inserts the copy, and must be called inside a transaction. */
  deliveryWriter(delivery: Delivery): () => void;
  /** Copies a receipt; the returned function inserts the copy, and must be called inside a transaction. */
  receiptWriter(receipt: Receipt): () => void;
}
