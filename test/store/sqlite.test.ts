import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';
import { deliveryOf, writeOf } from '../contracts/store/call-fixtures.ts';
import { runStoreContract } from '../contracts/store/store-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'callweave-store-'));
const clock = new VirtualClock();
let files = 0;
const newFile = () => join(folder, `data-${++files}`, 'callweave.db');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sqlite = async () => {
  const file = newFile();
  return {
    open: async () => openSqliteStore({ file, clock }),
    reopen: async (store: { close(): Promise<void> }) => {
      await store.close();
      return openSqliteStore({ file, clock });
    },
  };
};

runStoreContract(sqlite);

const MIGRATIONS_DIRECTORY = '../../src/service/store/sqlite/migrations';
const MIGRATIONS = readdirSync(join(import.meta.dirname, MIGRATIONS_DIRECTORY));

describe('sqlite file', () => {
  it('belongs to its owner only, with all its side files', async () => {
    const file = newFile();
    const store = openSqliteStore({ file, clock });
    await store.calls.commit(writeOf('call-1', [1]));
    for (const suffix of ['', '-wal', '-shm']) {
      expect(existsSync(file + suffix)).toBe(true);
      expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
    }
    await store.close();
  });

  it('is closed to others when it was left open to them', async () => {
    const file = join(folder, 'lax.db');
    writeFileSync(file, '', { mode: 0o644 });
    const store = openSqliteStore({ file, clock });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('keeps a write-ahead log and lists the migrations it went through', async () => {
    const file = newFile();
    await openSqliteStore({ file, clock }).close();
    const reader = new DatabaseSync(file, { readOnly: true });
    expect(reader.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(reader.prepare('SELECT number, applied_ms FROM migrations ORDER BY number').all()).toEqual(
      MIGRATIONS.map((_name, index) => ({ number: index + 1, applied_ms: clock.now() })),
    );
    reader.close();
  });

  it('rejects a decision on a deleted call whose row number a newer call has', async () => {
    const file = newFile();
    const store = openSqliteStore({ file, clock });
    await store.calls.commit(writeOf('call-1', [1]));
    const other = new DatabaseSync(file);
    other.exec('DELETE FROM calls; DELETE FROM journal');
    other.close();
    await store.calls.commit(writeOf('call-2', [1]));
    await expect(store.calls.commit(writeOf('call-1', [2]))).rejects.toThrow();
    expect(await store.calls.journal('call-2')).toHaveLength(1);
    await store.close();
  });

  it('refuses a database of a newer version and leaves it as it was', async () => {
    const file = newFile();
    await openSqliteStore({ file, clock }).close();
    const editor = new DatabaseSync(file);
    editor.exec("INSERT INTO migrations VALUES (999, '999-future.sql', 0)");
    editor.close();
    expect(() => openSqliteStore({ file, clock })).toThrow('used by a newer version');
  });

  it('refuses a file that is not a database', () => {
    const file = join(folder, 'letter.txt');
    writeFileSync(file, 'Dear reader, this is not a database. '.repeat(50));
    expect(() => openSqliteStore({ file, clock })).toThrow('not a database');
  });

  it('numbers the versions of an older database by their age, for each flow', async () => {
    const file = newFile();
    await openSqliteStore({ file, clock }).close();
    const editor = new DatabaseSync(file);
    editor.exec('ALTER TABLE flow_versions DROP COLUMN version_no; DROP TABLE flow_version_counts');
    editor.exec('DELETE FROM migrations WHERE number >= 28');
    const insert = editor.prepare("INSERT INTO flow_versions VALUES (?, ?, '', NULL, ?, 9, 0)");
    insert.run('b', 'hours', 2);
    insert.run('x', 'other', 5);
    insert.run('a', 'hours', 1);
    insert.run('c', 'hours', 2);
    editor.close();
    const store = openSqliteStore({ file, clock });
    expect(['a', 'b', 'c', 'x'].map((hash) => store.flowVersions.numberOf(hash))).toEqual([1, 2, 3, 1]);
    store.flowVersions.keep([{ hash: 'd', name: 'hours', text: '', firstMs: 10 }]);
    expect(store.flowVersions.find('d')?.number).toBe(4);
    await store.close();
  });

  it('is readable by another process during writes', async () => {
    const file = newFile();
    const store = openSqliteStore({ file, clock });
    const reader = openSqliteStore({ file, clock });
    await store.calls.commit(writeOf('call-1', [1], { deliveries: [deliveryOf('d1', 'call-1')] }));
    expect(await reader.calls.journal('call-1')).toHaveLength(1);
    await reader.close();
    await store.close();
  });

  it('refuses writes after it was closed', async () => {
    const store = openSqliteStore({ file: newFile(), clock });
    await store.close();
    await expect(store.calls.commit(writeOf('call-1', [1]))).rejects.toThrow('closed');
    await store.close();
  });

  it('names the recordings of an older version below its directory, also where that was moved, and leaves others', async () => {
    const file = newFile();
    const data = dirname(file);
    mkdirSync(join(data, 'recordings'), { recursive: true });
    writeFileSync(join(data, 'recordings', 'moved.wav'), 'sound');
    const editor = new DatabaseSync(file);
    editor.exec(
      'CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_ms INTEGER NOT NULL)',
    );
    editor.function('receiver_of', (_projectId, _url) => '');
    const directory = join(import.meta.dirname, MIGRATIONS_DIRECTORY);
    for (const name of readdirSync(directory).sort().slice(0, 8)) {
      editor.exec(readFileSync(join(directory, name), 'utf8'));
      editor.prepare('INSERT INTO migrations VALUES (?, ?, 0)').run(Number(name.slice(0, 3)), name);
    }
    const insert = editor.prepare(
      "INSERT INTO recordings (recording_id, project_id, call_id, file, state, created_ms) VALUES (?, 'p', 'c', ?, 'completed', 1)",
    );
    const elsewhere = '/var/lib/elsewhere/recordings';
    insert.run('here', join(data, 'recordings', 'here.wav'));
    insert.run('moved', `${elsewhere}/moved.wav`);
    insert.run('away', `${elsewhere}/away.wav`);
    insert.run('other', `${elsewhere}/moved.wav`);
    editor.close();
    const store = openSqliteStore({ file, clock });
    expect(['here', 'moved', 'away', 'other'].map((id) => store.recordings.find(id)?.file)).toEqual([
      'recordings/here.wav',
      'recordings/moved.wav',
      `${elsewhere}/away.wav`,
      `${elsewhere}/moved.wav`,
    ]);
    await store.close();
  });

  it('finds receivers and lines of the events that an older version left', async () => {
    const file = newFile();
    await openSqliteStore({ file, clock }).close();
    const editor = new DatabaseSync(file);
    const migration = (name: string) => readFileSync(join(import.meta.dirname, MIGRATIONS_DIRECTORY, name), 'utf8');
    editor.exec('DELETE FROM migrations WHERE number >= 8; DROP TABLE deliveries; DROP TABLE dead_deliveries');
    editor.exec('DROP TABLE disabled_urls; ALTER TABLE projects DROP COLUMN video_webhook');
    editor.exec('ALTER TABLE projects DROP COLUMN previous; DROP TABLE changes; DROP TABLE queue_callbacks');
    editor.exec('ALTER TABLE calls DROP COLUMN owner; ALTER TABLE calls DROP COLUMN fence');
    editor.exec('ALTER TABLE projects DROP COLUMN max_calls; ALTER TABLE projects DROP COLUMN calls_per_second');
    editor.exec('ALTER TABLE flow_versions DROP COLUMN version_no; DROP TABLE flow_version_counts');
    editor.exec(migration('002-outbox.sql'));
    const insert = editor.prepare(
      `INSERT INTO deliveries (id, project_id, order_key, url, body, created_ms, state, attempts, due_ms, dead_ms, death_cause)
       VALUES (?, 'p', ?, ?, '{}', 5, ?, 3, 7, ?, ?)`,
    );
    const living = (id: string, state: string, url = 'http://One.example/x'): void =>
      void insert.run(id, id[0]!, url, state, null, null);
    const dead = (id: string, deadMs: number): void => void insert.run(id, id[0]!, 'http://', 'dead', deadMs, 'gone');
    living('a1', 'in_line');
    living('a2', 'beside');
    dead('d1', 9);
    living('a3', 'in_line', 'http://two.example/');
    dead('d2', 8);
    living('b1', 'in_line');
    editor.close();

    const store = openSqliteStore({ file, clock });
    const { outbox } = store;
    expect(await outbox.receivers()).toEqual(['p http://one.example', 'p http://two.example']);
    const due = await outbox.due('p http://one.example', { nowMs: 7, limit: 9 });
    expect(due.map(({ id, attempts, dueMs, createdMs, inLine }) => [id, attempts, dueMs, createdMs, inLine])).toEqual([
      ['a1', 3, 7, 5, true],
      ['a2', 3, 7, 5, false],
      ['b1', 3, 7, 5, true],
    ]);
    expect(await outbox.due('p http://two.example', { nowMs: 7, limit: 9 })).toEqual([]);
    expect((await outbox.headOfLine('a', 9)).map(({ id }) => id)).toEqual(['a1', 'a3']);
    expect((await outbox.deadLetters('p', 9)).map(({ id, deadMs, deathCause }) => [id, deadMs, deathCause])).toEqual([
      ['d1', 9, 'gone'],
      ['d2', 8, 'gone'],
    ]);
    await outbox.delivered('a1');
    expect((await outbox.due('p http://two.example', { nowMs: 7, limit: 9 })).map(({ id }) => id)).toEqual(['a3']);
    await store.close();
  });

  it('finds what is due by its index, however much waits', async () => {
    const file = newFile();
    const store = openSqliteStore({ file, clock });
    await store.close();
    const reader = new DatabaseSync(file, { readOnly: true });
    const plan = (sql: string): string =>
      reader
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((row) => String(row['detail']))
        .join('; ');
    expect(
      plan(
        'SELECT body FROM deliveries WHERE receiver = 1 AND sendable = 1 AND attempts = 1 AND due_ms <= 1 ORDER BY due_ms, delivery_no LIMIT 1',
      ),
    ).toBe(
      'SEARCH deliveries USING INDEX deliveries_of_receiver (receiver=? AND sendable=? AND attempts=? AND due_ms<?)',
    );
    expect(plan('SELECT body FROM deliveries WHERE in_line = 1 AND order_key = 1 ORDER BY delivery_no LIMIT 1')).toBe(
      'SEARCH deliveries USING INDEX deliveries_in_line (order_key=?)',
    );
    expect(plan('SELECT min(receiver) FROM deliveries WHERE receiver > 1')).toBe(
      'SEARCH deliveries USING COVERING INDEX deliveries_of_receiver (receiver>?)',
    );
    reader.close();
  });

  it('writes what arrives in one turn of the event loop in one transaction', async () => {
    const file = newFile();
    const store = openSqliteStore({ file, clock });
    const watcher = new DatabaseSync(file, { readOnly: true });
    const count = watcher.prepare('SELECT count(*) AS n FROM calls');
    const seen = new Set<number>();
    const writes = Array.from({ length: 40 }, (_, n) =>
      store.calls.commit(writeOf(`call-${n}`, [1])).then(() => seen.add(Number(count.get()!['n']))),
    );
    expect(count.get()!['n']).toBe(0);
    await Promise.all(writes);
    expect([...seen]).toEqual([40]);
    watcher.close();
    await store.close();
  });
});
