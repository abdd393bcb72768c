/** Every table, and every column with text, is known to those who delete what is kept about people. */
import { describe, expect, it } from 'vitest';
import { IN_MEMORY, openDatabase } from '../../src/store/sqlite/database.ts';
import { isSearched, TABLES } from '../../src/store/sqlite/people-tables.ts';

/** Ids, states, hashes, secrets and reasons: they name nobody. */
const NAMES_NOBODY = new Set(
  `project_id call_id recording_id broadcast_id room_id conf_num cdr_id id delivery_id receiver part_of waits_for
   type state stage code reason death_cause answered_by last_call_id hash flow_hash version kind via before after
   key_hash webhook_secret webhook_format cli_policy previous request pin meeting_id`.split(/\s+/),
);

const database = openDatabase({ file: IN_MEMORY, nowMs: () => 0 });
const tables = database
  .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
  .all()
  .map(({ name }) => String(name));

describe('the list of tables with people', () => {
  it('has every table of the schema, and no other: say in people-tables.ts what a new one holds', () => {
    expect(Object.keys(TABLES).sort()).toEqual(tables);
  });

  it.each(Object.entries(TABLES).flatMap(([name, table]) => (isSearched(table) ? [[name, table] as const] : [])))(
    '%s: its primary key, and every column with text',
    (name, { key, texts, about = [] }) => {
      const columns = database.prepare(`SELECT name, type, pk FROM pragma_table_info('${name}')`).all();
      const primary = columns
        .filter(({ pk }) => Number(pk) > 0)
        .sort((one, other) => Number(one['pk']) - Number(other['pk']));
      if (key[0] !== 'rowid') expect(key).toEqual(primary.map((column) => column['name']));
      const searched = new Set<string>([...texts, ...about]);
      const forgotten = columns
        .filter(({ type }) => type === 'TEXT')
        .map((column) => String(column['name']))
        .filter((column) => !searched.has(column) && !NAMES_NOBODY.has(column));
      expect(forgotten).toEqual([]);
      expect(() => database.prepare(`SELECT ${[...key, ...texts, ...about].join(', ')} FROM ${name}`)).not.toThrow();
    },
  );
});
