/**
 * Settings of one kind: from the configuration file, which takes precedence and is read-only here, and from the admin
 * API, kept in the store. Every change is visible at once. Invariant: memory matches the store, because the store is
 * written first.
 */
import type { Json } from '../../../base/core/json.ts';
import { CallError, configuredError } from '../call-error.ts';
import type { SettingKind, SettingStore } from './setting-store.ts';

export interface Provisioned<Value> {
  key: string;
  value: Value;
  isConfigured: boolean;
}

export interface CollectionParts<Value> {
  kind: SettingKind;
  store: SettingStore;
  configured: Iterable<readonly [key: string, value: Value]>;
}

/** Maximum entries of each kind, because all are held in memory. */
const MOST = 100_000;

export class Collection<Value extends object> {
  readonly #kind: SettingKind;
  readonly #store: SettingStore;
  #configured: ReadonlyMap<string, Value>;
  #kept: Map<string, Value>;
  readonly #watchers: (() => void)[] = [];

  constructor({ kind, store, configured }: CollectionParts<Value>) {
    this.#kind = kind;
    this.#store = store;
    this.#configured = new Map(configured);
    this.#kept = this.#stored();
    store.onChange?.((changed) => {
      if (changed !== kind) return;
      this.#kept = this.#stored();
      this.#changed();
    });
  }

  /** Calls `onChange` after each change, by the admin API or by the file. */
  watch(onChange: () => void): void {
    this.#watchers.push(onChange);
  }

  find(key: string): Provisioned<Value> | undefined {
    const configured = this.#configured.get(key);
    if (configured) return { key, value: configured, isConfigured: true };
    const kept = this.#kept.get(key);
    return kept && { key, value: kept, isConfigured: false };
  }

  /** Throws `unknown_setting`. */
  get(key: string): Provisioned<Value> {
    const found = this.find(key);
    if (!found) throw new CallError('unknown_setting', `there is no such ${this.#kind}`);
    return found;
  }

  /** All entries, the configured ones first. */
  list(): Provisioned<Value>[] {
    return [...new Set([...this.#configured.keys(), ...this.#kept.keys()])].map((key) => this.get(key));
  }

  keys(): string[] {
    return this.list().map(({ key }) => key);
  }

  /** Keys from the admin API, including those overridden by the file. */
  keptKeys(): string[] {
    return [...this.#kept.keys()];
  }

  values(): Value[] {
    return this.list().map(({ value }) => value);
  }

  /** Throws `configured`; call it before preparing a change. */
  mayChange(key: string): void {
    if (this.#configured.has(key)) throw configuredError(this.#kind);
  }

  /**
   * Replaces the entries of the file. An entry of the admin API is effective again if the file no longer has its key.
   */
  configure(configured: CollectionParts<Value>['configured']): void {
    this.#configured = new Map(configured);
    this.#changed();
  }

  async put(key: string, value: Value): Promise<void> {
    this.mayChange(key);
    if (!this.#kept.has(key) && this.#kept.size >= MOST) {
      throw new CallError('in_use', `there are ${MOST} of these already`);
    }
    await this.#store.put({ kind: this.#kind, key, value: value as unknown as Json });
    this.#kept.set(key, value);
    this.#changed();
  }

  async remove(key: string): Promise<void> {
    this.mayChange(key);
    this.get(key);
    await this.#store.remove(this.#kind, key);
    this.#kept.delete(key);
    this.#changed();
  }

  #stored(): Map<string, Value> {
    return new Map(this.#store.list(this.#kind).map(({ key, value }) => [key, value as unknown as Value]));
  }

  #changed(): void {
    for (const onChange of this.#watchers) onChange();
  }
}
