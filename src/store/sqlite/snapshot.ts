/**
 * A copy of a database that others write to meanwhile, and what a backup has to know of it. The original is not migrated.
 * Invariant: the copy is of one moment, because it is made in one step. In several steps it would begin anew with every
 * write of a service that runs, and never end.
 */
import { backup, DatabaseSync } from 'node:sqlite';
import type { Archive } from '../../rooms/archive/archive.ts';
import { ownFile } from './database.ts';
import { writeErrorFrom } from './write-errors.ts';

const ALL_PAGES = 2 ** 31 - 1;
const LOCK_TIMEOUT_MS = 5000;
/** The migration that makes the table. */
const ARCHIVES_SINCE = 17;

/** Throws `WriteError`. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  ownFile(to);
  // Not read-only: the last one who closes it removes the files beside it only if it may write.
  const database = new DatabaseSync(from, { timeout: LOCK_TIMEOUT_MS });
  try {
    await backup(database, to, { rate: ALL_PAGES });
  } catch (error) {
    throw writeErrorFrom(error) ?? error;
  } finally {
    database.close();
  }
}

export interface Snapshot {
  /** The last migration. */
  migration: number;
  calls: number;
  /** Of them, those that go on. */
  liveCalls: number;
  waitingEvents: number;
  /** Those that are not over. */
  broadcasts: number;
  /** Names below the data directory, of those that are whole. */
  recordings: string[];
  /** Recordings and sessions of rooms that are being written. */
  unfinished: number;
  /** Of sessions that are over. */
  archives: Archive[];
}

/** Of a copy that nobody else uses. */
export function readSnapshot(file: string): Snapshot {
  const database = new DatabaseSync(file);
  try {
    const count = (rows: string): number =>
      Number(database.prepare(`SELECT count(*) AS count FROM ${rows}`).get()!['count']);
    const texts = (query: string): string[] =>
      database
        .prepare(query)
        .all()
        .map((row) => String(row['text']));
    const migration = Number(database.prepare('SELECT max(number) AS last FROM migrations').get()!['last']);
    // One who upgrades makes a backup by the new program, of a database of the old one.
    const hasArchives = migration >= ARCHIVES_SINCE;
    return {
      migration,
      calls: count('calls'),
      liveCalls: count('calls WHERE ended_ms IS NULL'),
      waitingEvents: count('deliveries'),
      broadcasts: count('broadcasts WHERE whole = 1 AND ended_ms IS NULL'),
      recordings: texts("SELECT file AS text FROM recordings WHERE state <> 'open' ORDER BY recording_no"),
      unfinished: count("recordings WHERE state = 'open'") + (hasArchives ? count("archives WHERE state = 'open'") : 0),
      archives: hasArchives
        ? texts("SELECT body AS text FROM archives WHERE state <> 'open' ORDER BY archive_no").map(
            (body) => JSON.parse(body) as Archive,
          )
        : [],
    };
  } finally {
    database.close();
  }
}
