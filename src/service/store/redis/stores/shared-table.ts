/**
 * A Redis table that each node holds in memory: fields with a text each, in the order of creation. Reads are from
 * memory; a write is visible there when it resolves, and on the other nodes shortly after. Neighbour: `shared.lua`.
 *
 * Invariants
 *  - Memory changes only by data read from Redis, in the order of the reads.
 *  - A lost change message is compensated within a second by polling. After each reconnect the table is read
 *    completely, because a new primary may lack the last changes.
 */
import type { Clock, Timer } from '../../../../base/core/clock.ts';
import { inOrder } from '../../../../base/core/in-order.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { Reader } from '../connection/reader.ts';
import type { RedisConnection } from '../connection/redis-client.ts';

export interface SharedTableParts {
  connection: RedisConnection;
  groups: CommandGroups;
  reader: Reader;
  clock: Clock;
}

/** Condition of a write; default: always. */
export type PutCondition = 'new' | 'known' | 'first';

/** Hash tag of all tables: one function changes a table atomically. */
const TAG = 'cw:{shared}';
const CHANNEL = `${TAG}:changed`;
const POLL_EVERY_MS = 1000;

interface Row {
  /** Position in the order of creation. */
  number: number;
  text: string;
}

export class SharedTable {
  readonly #parts: SharedTableParts;
  readonly #name: string;
  readonly #inOrder = inOrder();
  readonly #listeners: ((fields: readonly string[]) => void)[] = [];
  #rows = new Map<string, Row>();
  /** Number of the last change read; 0: read the whole table. */
  #seen = 0;
  #poll: Timer | undefined;
  #isClosed = false;

  constructor(name: string, parts: SharedTableParts) {
    this.#name = name;
    this.#parts = parts;
    const { client, subscriber } = parts.connection;
    client.on('ready', this.#onReady);
    subscriber.on('message', this.#onMessage);
    this.#schedule();
  }

  /** Resolves when the table is in memory. */
  async load(): Promise<void> {
    await this.#parts.connection.subscriber.subscribe(CHANNEL);
    await this.#refresh();
  }

  get(field: string): string | undefined {
    return this.#rows.get(field)?.text;
  }

  /** Entries in the order of creation. */
  entries(): [field: string, text: string][] {
    return [...this.#rows].sort(([, a], [, b]) => a.number - b.number).map(([field, { text }]) => [field, text]);
  }

  /** False if the condition does not hold. */
  async put(field: string, text: string, condition: PutCondition | '' = ''): Promise<boolean> {
    return (await this.call('cw_put', [field, text, condition])) === 1;
  }

  /**
   * False if the field did not exist. `isNameForgotten`: also removes the field's name from the change log, because it
   * is personal data.
   */
  async remove(field: string, { isNameForgotten = false } = {}): Promise<boolean> {
    return (await this.call('cw_remove', [field, isNameForgotten ? '1' : '0'])) === 1;
  }

  /** Calls a function that changes the table; its first argument is the table's name. */
  async call(name: string, args: readonly string[]): Promise<unknown> {
    const reply = await this.#parts.groups.call(name, TAG, [this.#name, ...args]);
    // The write is done; a failed refresh is repeated soon.
    await this.#refresh().catch(() => undefined);
    return reply;
  }

  /** Calls the listener with the fields that changed in memory, after a change by any node. */
  onChange(listener: (fields: readonly string[]) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#poll?.cancel();
    const { client, subscriber } = this.#parts.connection;
    client.off('ready', this.#onReady);
    subscriber.off('message', this.#onMessage);
  }

  readonly #onReady = (): void => {
    void this.#refresh({ isAll: true }).catch(() => undefined);
  };

  readonly #onMessage = (channel: string, name: string): void => {
    if (channel === CHANNEL && name === this.#name) void this.#refresh().catch(() => undefined);
  };

  #schedule(): void {
    this.#poll = this.#parts.clock.after(POLL_EVERY_MS, async () => {
      await this.#refresh().catch(() => undefined);
      if (!this.#isClosed) this.#schedule();
    });
  }

  #refresh({ isAll = false } = {}): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#isClosed) return;
      const since = isAll ? 0 : this.#seen;
      const asked = [this.#name, String(since)];
      const [last, all, ...rows] = await this.#parts.reader.ask<[number, string, ...string[]]>(
        'cw_changed',
        TAG,
        asked,
      );
      this.#seen = last;
      const changed = all === '1' ? this.#replaceBy(rows) : this.#apply(rows);
      if (changed.length > 0) for (const listener of this.#listeners) listener(changed);
    });
  }

  #replaceBy(rows: readonly string[]): string[] {
    const found = new Set(rows.filter((_, index) => index % 2 === 0));
    const gone = [...this.#rows.keys()].filter((field) => !found.has(field));
    return this.#apply([...rows, ...gone.flatMap((field) => [field, ''])]);
  }

  /** Applies alternating fields and texts; returns the fields that changed. */
  #apply(rows: readonly string[]): string[] {
    const changed: string[] = [];
    for (let at = 0; at < rows.length; at += 2) {
      const [field, stored] = [rows[at]!, rows[at + 1]!];
      if (stored === '') {
        if (this.#rows.delete(field)) changed.push(field);
        continue;
      }
      const space = stored.indexOf(' ');
      const row = { number: Number(stored.slice(0, space)), text: stored.slice(space + 1) };
      if (this.#rows.get(field)?.text !== row.text) changed.push(field);
      this.#rows.set(field, row);
    }
    return changed;
  }
}
