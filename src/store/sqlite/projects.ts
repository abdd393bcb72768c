/** The projects in SQLite. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Project, ProjectStore, WebhookFormat } from '../../calls/project-store.ts';

const COLUMNS = 'project_id, name, key_hash, webhook_secret, webhook_format, created_ms';

export function sqliteProjects(database: DatabaseSync): ProjectStore {
  const insert = database.prepare(`INSERT INTO projects (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`);
  const find = database.prepare(`SELECT ${COLUMNS} FROM projects WHERE project_id = ?`);
  const list = database.prepare(`SELECT ${COLUMNS} FROM projects ORDER BY created_ms, project_no`);
  return {
    create({ projectId, name, keyHash, webhookSecret, webhookFormat, createdMs }) {
      if (find.get(projectId)) throw new Error(`there is a project ${projectId}`);
      insert.run(projectId, name, keyHash, webhookSecret, webhookFormat, createdMs);
    },
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
  createdMs: Number(row['created_ms']),
});
