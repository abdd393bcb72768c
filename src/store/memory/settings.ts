/** What the admin API provisioned, in memory. */
import type { Setting, SettingKind, SettingStore } from '../../calls/settings/setting-store.ts';

export class MemorySettings implements SettingStore {
  /** JSON text by kind and key. */
  readonly #all = new Map<SettingKind, Map<string, string>>();

  put({ kind, key, value }: Setting): void {
    const settings = this.#all.get(kind) ?? new Map<string, string>();
    this.#all.set(kind, settings.set(key, JSON.stringify(value)));
  }

  remove(kind: SettingKind, key: string): void {
    this.#all.get(kind)?.delete(key);
  }

  list(kind: SettingKind): Setting[] {
    return [...(this.#all.get(kind) ?? [])].map(([key, text]) => ({
      kind,
      key,
      value: JSON.parse(text) as Setting['value'],
    }));
  }
}
