/**
 * A table in Redis that each node holds in memory: fields with a text each, in the order in which they came. Reads are from
 * memory; a write is seen there when it resolves, and by the other nodes a moment later. Neighbour: `shared.lua`.
 *
 * Invariants
 *  - memory changes by what is read from Redis, in the order in which it is read, and by nothing else;
 *  - a message that is lost is made up for within a second; after each new connection all is read anew, because another
 *    server may have become the primary and lack the last changes.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import { inOrder } from '../../core/in-order.ts';
import type { CommandGroups } from './command-groups.ts';
import type { Reader } from './reader.ts';
import type { RedisConnection } from './redis-client.ts';

export interface SharedTableParts {
  connection: RedisConnection;
  groups: CommandGroups;
  reader: Reader;
  clock: Clock;
}

/** When a field is written; by default, always. */
export type PutCondition = 'new' | 'known' | 'first';

/** The hash tag of all tables: one function changes a table in one step. */
const TAG = 'cw:{shared}';
const CHANNEL = `${TAG}:changed`;
const POLL_EVERY_MS = 1000;

interface Row {
  /** The order in which fields came. */
  number: number;
  text: string;
}

export class SharedTable {
  readonly #parts: SharedTableParts;
  readonly #name: string;
  readonly #inOrder = inOrder();
  readonly #listeners: ((fields: readonly string[]) => void)[] = [];
  #rows = new Map<string, Row>();
  /** The number of the last change that was read; 0: all is to be read. */
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

  /** Resolves when it is in memory. */
  async load(): Promise<void> {
    await this.#parts.connection.subscriber.subscribe(CHANNEL);
    await this.#refresh();
  }

  get(field: string): string | undefined {
    return this.#rows.get(field)?.text;
  }

  /** In the order in which the fields came. */
  entries(): [field: string, text: string][] {
    return [...this.#rows].sort(([, a], [, b]) => a.number - b.number).map(([field, { text }]) => [field, text]);
  }

  /** False: the condition does not hold. */
  async put(field: string, text: string, condition: PutCondition | '' = ''): Promise<boolean> {
    return (await this.call('cw_put', [field, text, condition])) === 1;
  }

  /** False: there was none. Where the field names somebody who is forgotten, its name goes, too. */
  async remove(field: string, { isNameForgotten = false } = {}): Promise<boolean> {
    return (await this.call('cw_remove', [field, isNameForgotten ? '1' : '0'])) === 1;
  }

  /** A function that changes the table; its first argument is the name of the table. */
  async call(name: string, args: readonly string[]): Promise<unknown> {
    const reply = await this.#parts.groups.call(name, TAG, [this.#name, ...args]);
    // It is written: where it cannot be read now, it is a moment later.
    await this.#refresh().catch(() => undefined);
    return reply;
  }

  /** Calls it with the fields that have changed in memory, after a change by this node or by another. */
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

  /** Fields with their texts, one after the other; returns those that are not what they were. */
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
