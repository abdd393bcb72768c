/** Settings of the admin API in SQLite. */
import type { Setting, SettingStore } from '../../calls/settings/setting-store.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteSettings({ database, transaction }: StoreParts): SettingStore {
  const put = database.prepare(
    `INSERT INTO settings (kind, key, value) VALUES (?, ?, ?)
     ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value`,
  );
  const remove = database.prepare('DELETE FROM settings WHERE kind = ? AND key = ?');
  const find = database.prepare('SELECT value FROM settings WHERE kind = ? AND key = ?');
  const list = database.prepare('SELECT key, value FROM settings WHERE kind = ? ORDER BY setting_no');
  return {
    put: async ({ kind, key, value }) => void transaction(() => put.run(kind, key, JSON.stringify(value))),
    remove: async (kind, key) => void transaction(() => remove.run(kind, key)),
    find(kind, key) {
      const row = find.get(kind, key);
      return row && (JSON.parse(String(row['value'])) as Setting['value']);
    },
    list: (kind) =>
      list.all(kind).map((row): Setting => {
        return { kind, key: String(row['key']), value: JSON.parse(String(row['value'])) as Setting['value'] };
      }),
  };
}
