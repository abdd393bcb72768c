/**
 * Personal data in SQLite and its deletion. Neighbours: `people-tables.ts` describes every table, `people-search.ts`
 * finds a person, `people-calls.ts` deletes calls.
 */
import { type DataSubject, FORGOTTEN } from '../../../base/core/data-subject.ts';
import type { ErasedRows, PeopleStore, RowKey } from '../../calls/people/people-store.ts';
import { takeDeliveries } from './deferred-final-events.ts';
import type { DeliveryRow } from './delivery-rows.ts';
import { createCallDeletion } from './people-calls.ts';
import { createPeopleSearch } from './people-search.ts';
import { isSearched, type SearchedTable, TABLES } from './people-tables.ts';
import type { StoreParts } from './store-parts.ts';

const ROWS_PER_TRANSACTION = 200;
/** Rewriting this much takes about a second. */
const MAX_VACUUM_BYTES = 128 * 2 ** 20;

export function sqlitePeople(parts: StoreParts): PeopleStore {
  const { database } = parts;
  const pages = database.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size');
  const truncateLog = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');

  /** Returns a function that erases one row and returns its former columns. */
  function eraser(name: string, table: SearchedTable, person: DataSubject): (key: RowKey) => DeliveryRow[] {
    const { key: columns, texts } = table;
    const where = `WHERE (${columns.join(', ')}) = (${columns.map(() => '?').join(', ')})`;
    if (table.fate === 'overwrite') {
      const read = database.prepare(`SELECT ${texts.join(', ')} FROM ${name} ${where}`);
      const write = database.prepare(`UPDATE ${name} SET ${texts.map((text) => `${text} = ?`).join(', ')} ${where}`);
      return (key) => {
        const row = read.get(...key);
        if (!row) return [];
        const written = Object.values(row).map((text) => (typeof text === 'string' ? person.withoutThem(text) : text));
        write.run(...written, ...key);
        return [row];
      };
    }
    // The counted result of a number remains. A number that is being called is skipped: its call began after the
    // search.
    const change =
      table.fate === 'blank'
        ? `UPDATE ${name} SET phone = '${FORGOTTEN}', dialled = '${FORGOTTEN}', input = NULL, output = NULL,
           call_id = NULL, last_call_id = NULL ${where} AND stage IS NULL RETURNING number`
        : `DELETE FROM ${name} ${where} RETURNING ${name === 'deliveries' ? 'id, part_of, url' : columns.join(', ')}`;
    const statement = database.prepare(change);
    return (key) => statement.all(...key);
  }

  return {
    ...createCallDeletion(parts),
    search: createPeopleSearch(parts),

    async erase({ rows }, person) {
      const erased: ErasedRows = { counts: new Map(), deliveries: [] };
      for (const [name, keys] of rows) {
        const table = TABLES[name]!;
        if (!isSearched(table)) continue;
        const erase = eraser(name, table, person);
        let count = 0;
        for (let first = 0; first < keys.length; first += ROWS_PER_TRANSACTION) {
          let gone: DeliveryRow[] = [];
          await takeDeliveries(parts, 'people', (out) => {
            gone = keys.slice(first, first + ROWS_PER_TRANSACTION).flatMap(erase);
            if (name === 'deliveries') for (const row of gone) out(row);
          });
          count += gone.length;
          if (name === 'deliveries') erased.deliveries.push(...gone.map(({ id }) => String(id)));
        }
        erased.counts.set(name, count);
      }
      return erased;
    },

    async seal({ isPatient }) {
      const isSmall = Number(pages.get()!['bytes']) <= MAX_VACUUM_BYTES;
      try {
        if (isSmall || isPatient) database.exec('VACUUM');
        return truncateLog.get()!['busy'] === 0 && (isSmall || isPatient);
      } catch {
        // Another process reads the database, or the disk is full: the caller reports that remnants may be left.
        return false;
      }
    },
  };
}
