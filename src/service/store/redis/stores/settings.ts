/**
 * Settings of the admin API in Redis, held in memory by each node. Prompts stay in the local store, next to their audio
 * files.
 */
import type { Setting, SettingKind, SettingStore } from '../../../calls/settings/setting-store.ts';
import type { SharedTable } from './shared-table.ts';

/** Kinds contain no space. */
const fieldOf = (kind: SettingKind, key: string): string => `${kind} ${key}`;
const kindOf = (field: string): SettingKind => field.slice(0, field.indexOf(' ')) as SettingKind;

export function redisSettings(table: SharedTable, local: SettingStore): Required<SettingStore> {
  return {
    async put(setting) {
      const { kind, key, value } = setting;
      if (kind === 'prompt') return local.put(setting);
      await table.put(fieldOf(kind, key), JSON.stringify(value));
    },
    async remove(kind, key) {
      if (kind === 'prompt') return local.remove(kind, key);
      await table.remove(fieldOf(kind, key));
    },
    find(kind, key) {
      if (kind === 'prompt') return local.find(kind, key);
      const text = table.get(fieldOf(kind, key));
      return text === undefined ? undefined : (JSON.parse(text) as Setting['value']);
    },
    list(kind) {
      if (kind === 'prompt') return local.list(kind);
      const start = fieldOf(kind, '');
      return table
        .entries()
        .filter(([field]) => field.startsWith(start))
        .map(([field, text]): Setting => ({ kind, key: field.slice(start.length), value: JSON.parse(text) }));
    },
    onChange(listener) {
      table.onChange((fields) => {
        for (const kind of new Set(fields.map(kindOf))) listener(kind);
      });
    },
  };
}
