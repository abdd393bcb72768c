/**
 * Outbox in SQLite: pending webhook deliveries. The call store and the broadcasts insert them, in the transaction of
 * the change that they report. Neighbour: `dead-letters.ts` for abandoned deliveries.
 *
 * Invariants
 *  - `sendable` marks the first delivery of each line, and all deliveries that left their line. Triggers of the table
 *    maintain it: removing the first makes the next one sendable.
 *  - Exception: final events of broadcasts that wait for the deliveries of their calls, see `deferred-final-events.ts`.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Delivery } from '../../../base/core/delivery.ts';
import type { Outbox, QueuedDelivery } from '../../observers/webhooks/outbox.ts';
import type { DeliveryListeners } from '../delivery-listeners.ts';
import { sqliteDeadLetters } from './dead-letters.ts';
import { deferredFinalEventsOf, takeDeliveries } from './deferred-final-events.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, deliveryOf, type InsertDelivery } from './delivery-rows.ts';
import { disabledUrls } from './disabled-urls.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteOutbox({
  database,
  group,
  listeners,
  deliveryWriter,
}: Pick<StoreParts, 'database' | 'group' | 'listeners' | 'deliveryWriter'>): Outbox {
  // One index seek per receiver.
  const receivers = database.prepare(
    `WITH RECURSIVE each (receiver) AS (
       SELECT min(receiver) FROM deliveries
       UNION ALL
       SELECT (SELECT min(receiver) FROM deliveries WHERE receiver > each.receiver) FROM each WHERE receiver IS NOT NULL
     )
     SELECT receiver FROM each WHERE receiver IS NOT NULL`,
  );
  const attemptCounts = database.prepare(
    `WITH RECURSIVE each (attempts) AS (
       SELECT min(attempts) FROM deliveries WHERE receiver = ?1 AND sendable = 1
       UNION ALL
       SELECT (SELECT min(attempts) FROM deliveries WHERE receiver = ?1 AND sendable = 1 AND attempts > each.attempts)
       FROM each WHERE attempts IS NOT NULL
     )
     SELECT attempts FROM each WHERE attempts IS NOT NULL`,
  );
  /** Distinct attempt counts of the sendable deliveries of a receiver, ascending: one index seek each. */
  const attemptsOf = (receiver: string): number[] =>
    attemptCounts.all(receiver).map(({ attempts }) => Number(attempts));
  const due = database.prepare(
    `SELECT ${DELIVERY_COLUMNS} FROM deliveries
     WHERE receiver = ? AND sendable = 1 AND attempts = ? AND due_ms <= ? ORDER BY due_ms, delivery_no LIMIT ?`,
  );
  const overdue = database.prepare(
    'SELECT id, order_key FROM deliveries WHERE receiver = ? AND sendable = 1 AND attempts = ? AND due_ms <= ? ORDER BY due_ms LIMIT ?',
  );
  const nextDue = database.prepare(
    `SELECT due_ms FROM deliveries
     WHERE receiver = ? AND sendable = 1 AND attempts = ? AND due_ms > ? ORDER BY due_ms LIMIT 1`,
  );
  const line = database.prepare(
    `SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE in_line = 1 AND order_key = ? ORDER BY delivery_no LIMIT ?`,
  );
  const read = database.prepare(`SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id = ?`);
  const remove = database.prepare('DELETE FROM deliveries WHERE id = ?');
  const removePart = database.prepare('DELETE FROM deliveries WHERE id = ? RETURNING part_of, url');
  const firstReceiver = database.prepare(
    'SELECT receiver FROM deliveries WHERE in_line = 1 AND order_key = ? ORDER BY delivery_no LIMIT 1',
  );
  const postpone = database.prepare('UPDATE deliveries SET attempts = ?, due_ms = ? WHERE id = ?');
  const stepAside = database.prepare(
    'UPDATE deliveries SET in_line = 0, sendable = 1 WHERE id = ? AND in_line = 1 RETURNING part_of, url',
  );
  const countAll = database.prepare('SELECT count(*) AS count FROM deliveries');
  const countOf = database.prepare('SELECT count(*) AS count FROM deliveries WHERE receiver = ?');
  const oldest = database.prepare('SELECT created_ms FROM deliveries ORDER BY delivery_no LIMIT 1');
  const dead = sqliteDeadLetters(database, createDeliveryInsert(database));

  const parts = deferredFinalEventsOf(database);

  const write = (key: string, work: () => void): Promise<void> => group.write(`outbox:${key}`, work);

  const take = (key: string, work: (out: (row: DeliveryRow | undefined) => void) => void): Promise<void> =>
    takeDeliveries({ database, group, listeners }, `outbox:${key}`, work);

  const bury = (id: string, end: Parameters<Outbox['deadLetter']>[1]): DeliveryRow | undefined =>
    dead.add(id, end) ? removePart.get(id) : undefined;

  return {
    subscribe: (listener) => listeners.subscribe(listener),
    receivers: async () => receivers.all().map((row) => String(row['receiver'])),
    async due(receiver, { nowMs, limit, mostTriedFirst = false }) {
      const found: QueuedDelivery[] = [];
      for (const attempts of attemptsOf(receiver).reverse()) {
        const dueMs = attempts === 0 ? Number.MAX_SAFE_INTEGER : nowMs;
        for (const row of due.all(receiver, attempts, dueMs, limit)) found.push(deliveryOf(row));
        if (mostTriedFirst && found.length >= limit) break;
      }
      return (mostTriedFirst ? found : found.sort(byDueTime)).slice(0, limit);
    },
    async nextDueMs(receiver, afterMs) {
      const times = attemptsOf(receiver).flatMap((attempts) => {
        if (attempts === 0) return [];
        const row = nextDue.get(receiver, attempts, afterMs);
        return row ? [Number(row['due_ms'])] : [];
      });
      return times.length === 0 ? undefined : Math.min(...times);
    },
    headOfLine: async (orderKey, count) => line.all(orderKey, count).map(deliveryOf),
    async find(id) {
      const row = read.get(id);
      return row && deliveryOf(row);
    },
    add(deliveries) {
      const writes = deliveries.map(deliveryWriter);
      const all = (): void => {
        for (const one of writes) one();
      };
      return group.write(`outbox:${deliveries[0]?.id}`, all, () => listeners.emitCommitted(deliveries));
    },
    delivered: (id) =>
      take(id, (out) => {
        if (parts.anyWaits) out(removePart.get(id));
        else remove.run(id);
      }),
    postpone: (id, { attempts, dueMs }) => write(id, () => postpone.run(attempts, dueMs, id)),
    leaveLine: (id) => take(id, (out) => out(stepAside.get(id))),
    deadLetter: (id, end) => take(id, (out) => out(bury(id, end))),
    async deadLetterOverdue(receiver, { dueByMs, limit, ...end }) {
      let count = 0;
      const receivers = new Set<string>();
      await take(receiver, (out) => {
        count = 0;
        for (const [attempts, dueMs] of dueByMs.entries()) {
          for (const { id, order_key: orderKey } of overdue.all(receiver, attempts, dueMs, limit - count)) {
            out(bury(String(id), end));
            const next = firstReceiver.get(orderKey!);
            if (next) receivers.add(String(next['receiver']));
            count += 1;
          }
        }
      });
      return { count, receivers };
    },
    async requeue(id, dueMs) {
      let revived = false;
      await write(id, () => {
        revived = dead.requeue(id, dueMs);
      });
      return revived;
    },
    async requeueAll(revival) {
      let revived: ReturnType<typeof dead.requeueAll> | undefined;
      await write(revival.projectId, () => {
        revived = dead.requeueAll(revival);
      });
      return revived!;
    },
    deadLetters: async (projectId, limit) => dead.list(projectId, limit),
    findDeadLetter: async (id) => dead.find(id),
    counts: async () => ({ waiting: Number(countAll.get()!['count']), dead: dead.count() }),
    waitingFor: async (receiver) => Number(countOf.get(receiver)!['count']),
    async oldestCreatedMs() {
      const row = oldest.get();
      return row && Number(row['created_ms']);
    },
    ...disabledUrls(database, write),
  };
}

export function createDeliveryInsert(database: DatabaseSync): InsertDelivery {
  const insert = database.prepare(
    `INSERT INTO deliveries
       (id, project_id, order_key, url, receiver, body, created_ms, due_ms, in_line, sendable, part_of, waits_for)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const someInLine = database.prepare('SELECT 1 FROM deliveries WHERE in_line = 1 AND order_key = ? LIMIT 1');
  const parts = deferredFinalEventsOf(database);
  return ({ id, projectId, orderKey, url, receiver, body, createdMs, dueMs, inLine, partOf, afterPartsOf }) => {
    const isFirst = !inLine || someInLine.get(orderKey) === undefined;
    const isSendable = isFirst && (afterPartsOf === undefined || !parts.mustWait(afterPartsOf, url));
    const flags = [inLine ? 1 : 0, isSendable ? 1 : 0];
    const place = [projectId, orderKey, url, receiver];
    insert.run(id, ...place, body, createdMs, dueMs, ...flags, partOf ?? null, afterPartsOf ?? null);
    return isSendable;
  };
}

/** Prepares the insertion of a delivery into its line, which then runs inside the transaction of its commit. */
export function createDeliveryWriter(
  database: DatabaseSync,
  listeners: DeliveryListeners,
): (delivery: Delivery) => () => void {
  const insert = createDeliveryInsert(database);
  return (delivery) => {
    const arrival = listeners.arrivalOf(delivery);
    return () => {
      arrival.isSendable = insert(arrival);
    };
  };
}

const byDueTime = (a: QueuedDelivery, b: QueuedDelivery): number => a.dueMs - b.dueMs || a.attempts - b.attempts;
