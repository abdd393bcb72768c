/**
 * Port: settings of the admin API, and the drafts and comments of the studio. Implemented in `store/`; the contract
 * suite is `test/contracts/store/setting-store.ts`.
 */
import type { Json } from '../../../base/core/json.ts';

export type SettingKind =
  | 'number'
  | 'prompt'
  | 'user'
  | 'route'
  | 'schedule'
  | 'administrator'
  /** Time of the last request of an administrator. */
  | 'administrator-seen'
  | 'draft'
  | 'draft_text'
  | 'comment';

export interface Setting {
  kind: SettingKind;
  /** Unique within its kind. */
  key: string;
  value: Json;
}

export interface SettingStore {
  /** When it resolves, the write is durable and visible to `list`; so for `remove`. */
  put(setting: Setting): Promise<void>;
  remove(kind: SettingKind, key: string): Promise<void>;
  find(kind: SettingKind, key: string): Json | undefined;
  /** Settings in the order of creation; from memory if the data is shared with other nodes. */
  list(kind: SettingKind): Setting[];
  /**
   * Calls the listener after settings of this kind have changed, here or on another node. Never called if the data is
   * not shared.
   */
  onChange?(listener: (kind: SettingKind) => void): void;
}
