/** Projects in SQLite, one row each. */
import type { SQLOutputValue } from 'node:sqlite';
import type { CliPolicy, Project, ProjectStore, WebhookFormat } from '../../calls/projects/project-store.ts';
import type { StoreParts } from './store-parts.ts';

const COLUMNS =
  'project_id, name, key_hash, webhook_secret, webhook_format, strict_bridge_state, cli_policy, video_webhook, previous, max_calls, calls_per_second, created_ms';

export function sqliteProjects({ database, transaction }: StoreParts): ProjectStore {
  const insert = database.prepare(`INSERT INTO projects (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const find = database.prepare(`SELECT ${COLUMNS} FROM projects WHERE project_id = ?`);
  const list = database.prepare(`SELECT ${COLUMNS} FROM projects ORDER BY created_ms, project_no`);
  const update = database.prepare(
    `UPDATE projects SET name = ?, key_hash = ?, webhook_secret = ?, webhook_format = ?, strict_bridge_state = ?,
       cli_policy = ?, video_webhook = ?, previous = ?, max_calls = ?, calls_per_second = ? WHERE project_id = ?`,
  );
  const remove = database.prepare('DELETE FROM projects WHERE project_id = ?');
  return {
    async create(project) {
      if (find.get(project.projectId)) throw new Error(`there is a project ${project.projectId}`);
      transaction(() => insert.run(project.projectId, ...changeable(project), project.createdMs));
    },
    async createFirst(project) {
      return transaction(() => {
        if (list.all().length > 0) return false;
        insert.run(project.projectId, ...changeable(project), project.createdMs);
        return true;
      });
    },
    update: async (project) => transaction(() => update.run(...changeable(project), project.projectId).changes > 0),
    remove: async (projectId) => transaction(() => remove.run(projectId).changes > 0),
    find(projectId) {
      const row = find.get(projectId);
      return row && projectOf(row);
    },
    list: () => list.all().map(projectOf),
  };
}

const changeable = (project: Project): (string | number | null)[] => [
  project.name,
  project.keyHash,
  project.webhookSecret,
  project.webhookFormat,
  project.strictBridgeState ? 1 : 0,
  project.cliPolicy,
  project.videoWebhook ?? null,
  previousOf(project),
  project.maxCalls ?? null,
  project.callsPerSecond ?? null,
];

function previousOf({ previousKey, previousWebhookSecret }: Project): string | null {
  return previousKey || previousWebhookSecret ? JSON.stringify({ previousKey, previousWebhookSecret }) : null;
}

const projectOf = (row: Record<string, SQLOutputValue>): Project => ({
  projectId: String(row['project_id']),
  name: String(row['name']),
  keyHash: String(row['key_hash']),
  webhookSecret: String(row['webhook_secret']),
  webhookFormat: row['webhook_format'] as WebhookFormat,
  strictBridgeState: row['strict_bridge_state'] === 1,
  cliPolicy: row['cli_policy'] as CliPolicy,
  ...(row['video_webhook'] === null ? {} : { videoWebhook: String(row['video_webhook']) }),
  ...(row['previous'] === null
    ? {}
    : (JSON.parse(String(row['previous'])) as Pick<Project, 'previousKey' | 'previousWebhookSecret'>)),
  ...(row['max_calls'] === null ? {} : { maxCalls: Number(row['max_calls']) }),
  ...(row['calls_per_second'] === null ? {} : { callsPerSecond: Number(row['calls_per_second']) }),
  createdMs: Number(row['created_ms']),
});
