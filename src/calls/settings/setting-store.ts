/**
 * Port: what the admin API provisioned. Implemented in `store/`; the contract suite is
 * `contracts/store/setting-store.ts`.
 */
import type { Json } from '../../core/json.ts';

export type SettingKind = 'number' | 'prompt' | 'user' | 'route' | 'schedule';

export interface Setting {
  kind: SettingKind;
  /** One of each in a kind. */
  key: string;
  value: Json;
}

export interface SettingStore {
  /** Durable when they return. */
  put(setting: Setting): void;
  remove(kind: SettingKind, key: string): void;
  /** In the order in which they came first. */
  list(kind: SettingKind): Setting[];
}
