/** Projects in SQLite, a row each. */
import type { SQLOutputValue } from 'node:sqlite';
import type { CliPolicy, Project, ProjectStore, WebhookFormat } from '../../calls/project-store.ts';
import type { StoreParts } from './store-parts.ts';

const COLUMNS =
  'project_id, name, key_hash, webhook_secret, webhook_format, strict_bridge_state, cli_policy, created_ms';

export function sqliteProjects({ database, transaction }: StoreParts): ProjectStore {
  const insert = database.prepare(`INSERT INTO projects (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const find = database.prepare(`SELECT ${COLUMNS} FROM projects WHERE project_id = ?`);
  const list = database.prepare(`SELECT ${COLUMNS} FROM projects ORDER BY created_ms, project_no`);
  const update = database.prepare(
    `UPDATE projects SET name = ?, key_hash = ?, webhook_secret = ?, webhook_format = ?, strict_bridge_state = ?,
       cli_policy = ? WHERE project_id = ?`,
  );
  const remove = database.prepare('DELETE FROM projects WHERE project_id = ?');
  return {
    create({ projectId, name, keyHash, webhookSecret, webhookFormat, strictBridgeState, cliPolicy, createdMs }) {
      if (find.get(projectId)) throw new Error(`there is a project ${projectId}`);
      const strict = strictBridgeState ? 1 : 0;
      transaction(() =>
        insert.run(projectId, name, keyHash, webhookSecret, webhookFormat, strict, cliPolicy, createdMs),
      );
    },
    update({ projectId, name, keyHash, webhookSecret, webhookFormat, strictBridgeState, cliPolicy }) {
      const strict = strictBridgeState ? 1 : 0;
      return transaction(
        () => update.run(name, keyHash, webhookSecret, webhookFormat, strict, cliPolicy, projectId).changes > 0,
      );
    },
    remove: (projectId) => transaction(() => remove.run(projectId).changes > 0),
    find(projectId) {
      const row = find.get(projectId);
      return row && projectOf(row);
    },
    list: () => list.all().map(projectOf),
  };
}

const projectOf = (row: Record<string, SQLOutputValue>): Project => ({
  projectId: String(row['project_id']),
  name: String(row['name']),
  keyHash: String(row['key_hash']),
  webhookSecret: String(row['webhook_secret']),
  webhookFormat: row['webhook_format'] as WebhookFormat,
  strictBridgeState: row['strict_bridge_state'] === 1,
  cliPolicy: row['cli_policy'] as CliPolicy,
  createdMs: Number(row['created_ms']),
});
