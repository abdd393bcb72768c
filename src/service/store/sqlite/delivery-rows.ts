/** Reads rows of pending deliveries and dead letters. */
import type { SQLOutputValue } from 'node:sqlite';
import type { QueuedDelivery } from '../../observers/webhooks/outbox.ts';
import type { WholeAndParts } from '../delivery-listeners.ts';

export type DeliveryRow = Record<string, SQLOutputValue>;

/** Columns that `deliveryOf` expects. */
export const DELIVERY_COLUMNS = 'id, project_id, order_key, url, receiver, created_ms, attempts, due_ms, in_line, body';

export const deliveryOf = (row: DeliveryRow): QueuedDelivery => ({
  id: String(row['id']),
  projectId: String(row['project_id']),
  orderKey: String(row['order_key']),
  url: String(row['url']),
  receiver: String(row['receiver']),
  createdMs: Number(row['created_ms']),
  attempts: Number(row['attempts']),
  dueMs: Number(row['due_ms']),
  inLine: row['in_line'] === 1,
  body: String(row['body']),
});

/** Inserts a delivery in line, or outside of it. True if it may be sent. Must be called inside a transaction. */
export type InsertDelivery = (delivery: Omit<QueuedDelivery, 'attempts'> & WholeAndParts) => boolean;
