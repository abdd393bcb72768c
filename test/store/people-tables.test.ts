/** Every table, and every text column, is covered by the deletion of personal data. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { dataSubjectOf } from '../../src/base/core/data-subject.ts';
import { IN_MEMORY, openDatabase } from '../../src/service/store/sqlite/database.ts';
import { isSearched, TABLES } from '../../src/service/store/sqlite/people-tables.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';

/** Columns without personal data: ids, states, hashes, secrets and reasons. */
const NAMES_NOBODY = new Set(
  `project_id call_id recording_id broadcast_id callback_id room_id conf_num cdr_id id delivery_id receiver part_of waits_for
   type state stage code reason death_cause answered_by last_call_id hash flow_hash version kind via before after
   key_hash owner webhook_secret webhook_format cli_policy previous request pin meeting_id`.split(/\s+/),
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
    'names for %s its primary key, and every text column',
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

describe('personal-data search', () => {
  const folder = mkdtempSync(join(tmpdir(), 'callweave-people-'));
  const file = join(folder, 'callweave.db');
  const store = openSqliteStore({ file, clock: systemClock });
  const raw = new DatabaseSync(file, { timeout: 5000 });
  afterAll(() => {
    raw.close();
    return store.close();
  });
  const columnsOf = (table: string) =>
    raw.prepare(`SELECT name, type, "notnull" AS needed FROM pragma_table_info(?)`).all(table);

  /** Value that satisfies the constraints of the schema. */
  const fillerOf = (column: string, type: string): string | number =>
    type === 'INTEGER' ? 1 : column === 'state' ? 'completed' : '{}';

  const cases = Object.entries(TABLES).flatMap(([name, table]) =>
    isSearched(table) ? table.texts.map((column) => [name, column] as const) : [],
  );

  it.each(cases)('finds a number in %s.%s', async (name, column) => {
    // Parts of calls need one.
    if (name !== 'calls') {
      raw.exec(`INSERT INTO calls (call_no, call_id, project_id, started_ms, last_seq, record, checkpoint)
        VALUES (1, 'one', 'p', 0, 0, '{}', '{}') ON CONFLICT DO NOTHING`);
    }
    const columns = columnsOf(name).filter((one) => one['needed'] === 1 || one['name'] === column);
    const values = columns.map((one) =>
      one['name'] === column ? '"+33612345678"' : fillerOf(String(one['name']), String(one['type'])),
    );
    const names = columns.map((one) => one['name']).join(', ');
    raw.prepare(`INSERT INTO ${name} (${names}) VALUES (${values.map(() => '?').join(', ')})`).run(...values);
    const traces = await store.people.search(dataSubjectOf(['+33612345678']));
    const found = [
      ...[traces.calls, traces.recordings, traces.broadcasts, traces.rooms],
      ...[traces.archives.filter(({ isNaming }) => isNaming), [...traces.rows.keys()], [...traces.staying.keys()]],
    ].flat();
    expect(found).toHaveLength(1);
    raw.exec(`DELETE FROM ${name}; DELETE FROM calls`);
  });
});
