/** Canaries in SQLite. */
import type { Canary } from '../../calls/canaries/canary.ts';
import type { CanaryStore } from '../../calls/canaries/canary-store.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteCanaries({ database, transaction }: StoreParts): CanaryStore {
  const put = database.prepare(
    `INSERT INTO canaries (name, version, is_on, canary) VALUES (?, ?, ?, ?) ON CONFLICT (name)
     DO UPDATE SET version = excluded.version, is_on = excluded.is_on, canary = excluded.canary`,
  );
  const giveWay = database.prepare(
    'UPDATE flow_versions SET last_ms = max(last_ms, ?) WHERE hash = ? AND in_force = 0',
  );
  const list = database.prepare('SELECT canary FROM canaries ORDER BY name');
  return {
    put: (canary) =>
      transaction(() => {
        const { name, version, ended } = canary;
        put.run(name, version, ended ? 0 : 1, JSON.stringify(canary));
        if (ended) giveWay.run(ended.atMs, version);
      }),
    list: () => list.all().map((row) => JSON.parse(String(row['canary'])) as Canary),
  };
}
