/** URLs that get no more deliveries, because they responded with 410. */
import type { DatabaseSync } from 'node:sqlite';
import type { Outbox } from '../../observers/webhooks/outbox.ts';

type DisabledUrls = Pick<Outbox, 'isDisabled' | 'disableUrl' | 'enableUrl' | 'disabledUrls'>;

export function disabledUrls(
  database: DatabaseSync,
  write: (key: string, work: () => void) => Promise<void>,
): DisabledUrls {
  const ofProject = database.prepare(
    'SELECT url, disabled_ms FROM disabled_urls WHERE project_id = ? ORDER BY disabled_ms DESC, url',
  );
  const find = database.prepare('SELECT 1 FROM disabled_urls WHERE project_id = ? AND url = ?');
  const disable = database.prepare(
    'INSERT OR REPLACE INTO disabled_urls (project_id, url, disabled_ms) VALUES (?, ?, ?)',
  );
  const enable = database.prepare('DELETE FROM disabled_urls WHERE project_id = ? AND url = ?');
  // Cached: the check runs for every event, and few projects ever have a disabled URL.
  const projects = new Set(
    database
      .prepare('SELECT DISTINCT project_id FROM disabled_urls')
      .all()
      .map((row) => String(row['project_id'])),
  );
  return {
    isDisabled: async (projectId, url) => projects.has(projectId) && find.get(projectId, url) !== undefined,
    disableUrl(projectId, url, atMs) {
      projects.add(projectId);
      return write(url, () => disable.run(projectId, url, atMs));
    },
    enableUrl: (projectId, url) => write(url, () => enable.run(projectId, url)),
    disabledUrls: async (projectId) =>
      (projects.has(projectId) ? ofProject.all(projectId) : []).map((row) => ({
        url: String(row['url']),
        disabledMs: Number(row['disabled_ms']),
      })),
  };
}
