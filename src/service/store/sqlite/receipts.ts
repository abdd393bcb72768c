/**
 * Receipts in SQLite. `createReceiptWriter` writes those of calls and broadcasts, in the transaction of their call or
 * broadcast.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Receipt } from '../../../base/core/receipt.ts';
import type { ReceiptStore } from '../../calls/control/receipt-store.ts';
import { recordOf } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

const ROWS_PER_TRANSACTION = 500;

/** The returned function writes the receipt, and must be called inside a transaction. */
export function createReceiptWriter(database: DatabaseSync): (receipt: Receipt) => () => void {
  const put = database.prepare(
    `INSERT INTO receipts (project_id, key, request, status, body, created_ms) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (project_id, key) DO UPDATE SET request = excluded.request, status = excluded.status,
       body = excluded.body, created_ms = excluded.created_ms`,
  );
  return ({ projectId, key, request, status, body, createdMs }) => {
    const atMs = Math.round(createdMs);
    return () => put.run(projectId, key, request, status, body, atMs);
  };
}

export function sqliteReceipts({ database, group, receiptWriter }: StoreParts): ReceiptStore {
  const find = database.prepare('SELECT * FROM receipts WHERE project_id = ? AND key = ?');
  const removeOld = database.prepare(
    'DELETE FROM receipts WHERE rowid IN (SELECT rowid FROM receipts WHERE created_ms < ? LIMIT ?)',
  );
  const crowded = database.prepare('SELECT project_id FROM receipts GROUP BY project_id HAVING count(*) > ?');
  const removeOldest = database.prepare(
    `DELETE FROM receipts WHERE rowid IN
       (SELECT rowid FROM receipts WHERE project_id = ? ORDER BY created_ms DESC LIMIT ? OFFSET ?)`,
  );

  const inBatches = (remove: () => { changes: number | bigint }): Promise<number> =>
    group.inBatches('receipts', ROWS_PER_TRANSACTION, () => Number(remove().changes));

  return {
    async find(projectId, key) {
      const row = find.get(projectId, key);
      return row && recordOf<Receipt>(row);
    },
    add: (receipt) => group.write(`receipt:${receipt.projectId} ${receipt.key}`, receiptWriter(receipt)),
    async prune({ beforeMs, most }) {
      let gone = await inBatches(() => removeOld.run(beforeMs, ROWS_PER_TRANSACTION));
      for (const { project_id: projectId } of crowded.all(most)) {
        gone += await inBatches(() => removeOldest.run(projectId!, ROWS_PER_TRANSACTION, most));
      }
      return gone;
    },
  };
}
