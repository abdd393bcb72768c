/** The outbox in SQLite. Rows come in through `sqliteBook`, in the transaction of the decision they tell of. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Delivery } from '../../core/delivery.ts';
import type { DeadDelivery, Outbox, Parcel, Standing } from '../../observers/webhooks/outbox.ts';
import type { Listeners } from '../listeners.ts';
import type { GroupCommit } from './group-commit.ts';

type Row = Record<string, SQLOutputValue>;

const STANDING = 'id, project_id, order_key, url, created_ms, attempts, due_ms, state';

export interface OutboxParts {
  database: DatabaseSync;
  group: GroupCommit;
  listeners: Listeners;
}

export function sqliteOutbox({ database, group, listeners }: OutboxParts): Outbox {
  const firstOfLines = database.prepare(
    `SELECT ${STANDING} FROM deliveries
     WHERE delivery_no IN (SELECT min(delivery_no) FROM deliveries WHERE state = 'in_line' GROUP BY order_key)
        OR delivery_no IN (SELECT delivery_no FROM deliveries WHERE state = 'beside')
     ORDER BY delivery_no`,
  );
  const line = database.prepare(
    `SELECT ${STANDING} FROM deliveries WHERE state = 'in_line' AND order_key = ? ORDER BY delivery_no LIMIT ?`,
  );
  const read = database.prepare(`SELECT ${STANDING}, body FROM deliveries WHERE id = ? AND state <> 'dead'`);
  const remove = database.prepare("DELETE FROM deliveries WHERE id = ? AND state <> 'dead'");
  const postpone = database.prepare("UPDATE deliveries SET attempts = ?, due_ms = ? WHERE id = ? AND state <> 'dead'");
  const stepAside = database.prepare("UPDATE deliveries SET state = 'beside' WHERE id = ? AND state = 'in_line'");
  const bury = database.prepare(
    "UPDATE deliveries SET state = 'dead', dead_ms = ?, death_cause = ? WHERE id = ? AND state <> 'dead'",
  );
  const revive = database.prepare(
    `UPDATE deliveries SET state = 'beside', attempts = 0, due_ms = ?, dead_ms = NULL, death_cause = NULL
     WHERE id = ? AND state = 'dead'`,
  );
  const deadOf = database.prepare(
    `SELECT ${STANDING}, body, dead_ms, death_cause FROM deliveries
     WHERE state = 'dead' AND project_id = ? ORDER BY dead_ms DESC, delivery_no DESC LIMIT ?`,
  );
  const deadOne = database.prepare(
    `SELECT ${STANDING}, body, dead_ms, death_cause FROM deliveries WHERE state = 'dead' AND id = ?`,
  );
  const countAll = database.prepare('SELECT count(*) AS count FROM deliveries');
  const countDead = database.prepare("SELECT count(*) AS count FROM deliveries WHERE state = 'dead'");
  const disabledOf = database.prepare(
    'SELECT url, disabled_ms FROM disabled_urls WHERE project_id = ? ORDER BY disabled_ms DESC, url',
  );
  const disabled = database.prepare('SELECT 1 FROM disabled_urls WHERE project_id = ? AND url = ?');
  const disable = database.prepare(
    'INSERT OR REPLACE INTO disabled_urls (project_id, url, disabled_ms) VALUES (?, ?, ?)',
  );
  const enable = database.prepare('DELETE FROM disabled_urls WHERE project_id = ? AND url = ?');

  const write = (key: string, work: () => void): Promise<void> => group.write(`outbox:${key}`, work);

  return {
    subscribe: (listener) => listeners.add(listener),
    startable: () => firstOfLines.all().map(standingOf),
    line: (orderKey, count) => line.all(orderKey, count).map(standingOf),
    read(id) {
      const row = read.get(id);
      return row && parcelOf(row);
    },
    delivered: (id) => write(id, () => remove.run(id)),
    postpone: (id, { attempts, dueMs }) => write(id, () => postpone.run(attempts, dueMs, id)),
    stepAside: (id) => write(id, () => stepAside.run(id)),
    bury: (id, { deadMs, deathCause }) => write(id, () => bury.run(deadMs, deathCause, id)),
    async revive(id, dueMs) {
      let revived = false;
      await write(id, () => {
        revived = revive.run(dueMs, id).changes > 0;
      });
      return revived;
    },
    dead: (projectId, limit) => deadOf.all(projectId, limit).map(deadDeliveryOf),
    deadOne(id) {
      const row = deadOne.get(id);
      return row && deadDeliveryOf(row);
    },
    counts() {
      const dead = Number(countDead.get()!['count']);
      return { waiting: Number(countAll.get()!['count']) - dead, dead };
    },
    isDisabled: (projectId, url) => disabled.get(projectId, url) !== undefined,
    disableUrl: (projectId, url, atMs) => write(url, () => disable.run(projectId, url, atMs)),
    enableUrl: (projectId, url) => write(url, () => enable.run(projectId, url)),
    disabledUrls: (projectId) =>
      disabledOf.all(projectId).map((row) => ({ url: String(row['url']), disabledMs: Number(row['disabled_ms']) })),
  };
}

/** How a delivery is put into its line: prepared at once, done inside the transaction of its commit. */
export function enqueuer(database: DatabaseSync): (delivery: Delivery) => () => void {
  const insert = database.prepare(
    'INSERT INTO deliveries (id, project_id, order_key, url, body, created_ms, due_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  return ({ id, projectId, orderKey, url, payload, createdMs }) => {
    const body = JSON.stringify(payload);
    return () => insert.run(id, projectId, orderKey, url, body, createdMs, createdMs);
  };
}

const standingOf = (row: Row): Standing => ({
  id: String(row['id']),
  projectId: String(row['project_id']),
  orderKey: String(row['order_key']),
  url: String(row['url']),
  createdMs: Number(row['created_ms']),
  attempts: Number(row['attempts']),
  dueMs: Number(row['due_ms']),
  inLine: row['state'] === 'in_line',
});

const parcelOf = (row: Row): Parcel => ({ ...standingOf(row), body: String(row['body']) });

const deadDeliveryOf = (row: Row): DeadDelivery => ({
  ...parcelOf(row),
  deadMs: Number(row['dead_ms']),
  deathCause: row['death_cause'] as DeadDelivery['deathCause'],
});
