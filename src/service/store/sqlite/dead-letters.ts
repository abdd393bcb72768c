/** Dead letters: deliveries that were abandoned. Every change runs inside a transaction. */
import type { DatabaseSync } from 'node:sqlite';
import type { DeadLetter, DeadLetterCause, RequeueQuery, RequeueResult } from '../../observers/webhooks/outbox.ts';
import { type DeliveryRow, deliveryOf, type InsertDelivery } from './delivery-rows.ts';

export interface DeadLetters {
  /** Copies a pending delivery. False if there is none with this id. */
  add(id: string, end: { deadMs: number; deathCause: DeadLetterCause }): boolean;
  requeue(id: string, dueMs: number): boolean;
  requeueAll(revival: RequeueQuery): RequeueResult;
  list(projectId: string, limit: number): DeadLetter[];
  find(id: string): DeadLetter | undefined;
  count(): number;
}

export function sqliteDeadLetters(database: DatabaseSync, insert: InsertDelivery): DeadLetters {
  const SAME = 'id, project_id, order_key, url, receiver, body, created_ms, attempts, due_ms';
  const DEAD = `${SAME}, dead_ms, death_cause`;
  const take = database.prepare(
    `INSERT INTO dead_deliveries (${DEAD}) SELECT ${SAME}, ?, ? FROM deliveries WHERE id = ?`,
  );
  const find = database.prepare(`SELECT ${DEAD} FROM dead_deliveries WHERE id = ?`);
  const list = database.prepare(
    `SELECT ${DEAD} FROM dead_deliveries WHERE project_id = ? ORDER BY dead_ms DESC, dead_no DESC LIMIT ?`,
  );
  const piece = database.prepare(
    `SELECT dead_no, ${DEAD} FROM dead_deliveries
     WHERE project_id = ? AND (dead_ms, dead_no) > (?, ?) AND dead_ms <= ? ORDER BY dead_ms, dead_no LIMIT ?`,
  );
  const remove = database.prepare('DELETE FROM dead_deliveries WHERE id = ?');
  const enable = database.prepare('DELETE FROM disabled_urls WHERE project_id = ? AND url = ?');
  const count = database.prepare('SELECT count(*) AS count FROM dead_deliveries');

  return {
    add: (id, { deadMs, deathCause }) => take.run(deadMs, deathCause, id).changes > 0,
    requeue(id, dueMs) {
      const row = find.get(id);
      if (!row) return false;
      remove.run(id);
      insert({ ...deadLetterOf(row), dueMs, inLine: false });
      return true;
    },
    requeueAll({ projectId, urlPrefix, deadByMs, after, limit, dueMs }) {
      const rows = piece.all(projectId, after?.deadMs ?? 0, after?.number ?? 0, deadByMs, limit);
      const receivers = new Set<string>();
      const urls = new Set<string>();
      const chosen = rows.map(deadLetterOf).filter(({ url }) => url.startsWith(urlPrefix));
      for (const dead of chosen) {
        remove.run(dead.id);
        insert({ ...dead, dueMs, inLine: true });
        receivers.add(dead.receiver);
        urls.add(dead.url);
      }
      for (const url of urls) enable.run(projectId, url);
      const last = rows.length < limit ? undefined : rows.at(-1);
      return {
        count: chosen.length,
        receivers,
        next: last && { deadMs: Number(last['dead_ms']), number: Number(last['dead_no']) },
      };
    },
    list: (projectId, limit) => list.all(projectId, limit).map(deadLetterOf),
    find(id) {
      const row = find.get(id);
      return row && deadLetterOf(row);
    },
    count: () => Number(count.get()!['count']),
  };
}

/** A dead letter is never in line, so its row has no such column. */
const deadLetterOf = (row: DeliveryRow): DeadLetter => ({
  ...deliveryOf(row),
  deadMs: Number(row['dead_ms']),
  deathCause: row['death_cause'] as DeadLetterCause,
});
