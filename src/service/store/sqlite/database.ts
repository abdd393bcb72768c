/**
 * Opens the database file: permissions, pragmas and migrations. Invariant: a database that a newer program has migrated
 * is not changed.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { nameBelow } from '../../../base/core/data-path.ts';
import { receiverOf } from '../../../base/core/receiver.ts';

const MIGRATIONS = join(import.meta.dirname, 'migrations');
/** Time to wait at the start for another process that migrates. */
const START_TIMEOUT_MS = 5000;
/** Short, because the whole process is blocked while SQLite waits for a lock. */
export const BUSY_TIMEOUT_MS = 10;
/** 16 MiB instead of the default 2, for the pages that live calls write. */
const CACHE_KIB = 16_384;
/**
 * Pages of the write-ahead log after which it is copied into the database, which waits for the disk: 16 MiB instead of
 * the default 4, because live calls change the same pages again and again.
 */
const WAL_PAGES = 4096;

/** Name of a database without a file. */
export const IN_MEMORY = ':memory:';

export interface DatabaseOptions {
  /** Path of the database file, created if it does not exist; or `IN_MEMORY`. */
  file: string;
  nowMs(): number;
}

/** An empty database after all migrations: loading it is 20 times as fast as migrating each database in memory. */
let emptyImage: Uint8Array | undefined;

export function openDatabase(options: DatabaseOptions): DatabaseSync {
  const isInMemory = options.file === IN_MEMORY;
  if (!isInMemory) ownFile(options.file);
  const database = new DatabaseSync(options.file, { timeout: START_TIMEOUT_MS });
  try {
    // A commit survives a crash of the process. A power failure may lose the last commits, but corrupts nothing.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = ${WAL_PAGES}`);
    database.exec('PRAGMA trusted_schema = OFF');
    // Overwrites deleted and replaced content with zeros.
    database.exec('PRAGMA secure_delete = ON');
    // Used by migration 008.
    database.function('receiver_of', { deterministic: true }, (projectId, url) =>
      receiverOf(String(projectId), String(url)),
    );
    // Used by migration 009.
    database.function('name_of_recording', (recordingId, file) =>
      nameOfRecording(options.file, String(recordingId), String(file)),
    );
    if (isInMemory && emptyImage) database.deserialize(emptyImage);
    else migrate(database, options.nowMs());
    if (isInMemory) emptyImage ??= database.serialize();
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * The file holds numbers, secrets and transcripts: only its owner may read it. SQLite gives its side files the same
 * mode.
 */
export function ownFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

/**
 * Converts an absolute path of an older version to a relative name, even if the directory was moved or copied since.
 */
function nameOfRecording(databaseFile: string, recordingId: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const directory = dirname(databaseFile);
  const usual = `recordings/${recordingId}.wav`;
  const isHere = path.replaceAll('\\', '/').endsWith(`/${usual}`) && existsSync(join(directory, usual));
  return nameBelow(directory, path) ?? (isHere ? usual : path);
}

interface Migration {
  number: number;
  name: string;
}

function migrate(database: DatabaseSync, nowMs: number): void {
  database.exec(
    'CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_ms INTEGER NOT NULL) STRICT',
  );
  const known = migrations();
  // If two processes open a new file at the same moment, the second waits here and then has nothing to do.
  database.exec('BEGIN IMMEDIATE');
  try {
    const applied = Number(database.prepare('SELECT coalesce(max(number), 0) AS last FROM migrations').get()!['last']);
    const newest = lastMigration();
    if (applied > newest) {
      const message = `the database is at migration ${applied}, this program knows ${newest}: it was used by a newer version`;
      throw Object.assign(new Error(message), { code: 'DATA_NEWER' });
    }
    const note = database.prepare('INSERT INTO migrations (number, name, applied_ms) VALUES (?, ?, ?)');
    for (const { number, name } of known.filter((migration) => migration.number > applied)) {
      database.exec(readFileSync(join(MIGRATIONS, name), 'utf8'));
      note.run(number, name, nowMs);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** The last migration of this program. */
export const lastMigration = (): number => migrations().at(-1)?.number ?? 0;

/** The files `NNN-name.sql`, in order and without gaps. */
function migrations(): Migration[] {
  const found = readdirSync(MIGRATIONS)
    .filter((name) => /^\d{3}-[a-z0-9-]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 3)), name }));
  const stray = found.find((migration, index) => migration.number !== index + 1);
  if (stray) throw new Error(`migration ${stray.name} is out of sequence`);
  return found;
}
