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
  /** Durable when they resolve; seen by `list` then, too. */
  put(setting: Setting): Promise<void>;
  remove(kind: SettingKind, key: string): Promise<void>;
  /** In the order in which they came first; from memory where the data are shared with other nodes. */
  list(kind: SettingKind): Setting[];
  /** Calls it after settings of this kind have changed, here or on another node; where the data are not shared: never. */
  onChange?(listener: (kind: SettingKind) => void): void;
}
