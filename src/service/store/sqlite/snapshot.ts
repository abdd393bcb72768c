/**
 * Copies a database that is in use, and summarises the copy for a backup. The original is not migrated. Invariant: the
 * copy is made in one step, so that it is a consistent snapshot. In several steps it would restart at every write of a
 * running service, and never finish.
 */
import { backup, DatabaseSync } from 'node:sqlite';
import type { Archive } from '../../../media/rooms/archive/archive.ts';
import { ownFile } from './database.ts';
import { writeErrorFrom } from './write-errors.ts';

const ALL_PAGES = 2 ** 31 - 1;
const LOCK_TIMEOUT_MS = 5000;
/** Migration that creates the table. */
const ARCHIVES_SINCE = 17;

/** Throws `WriteError`. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  ownFile(to);
  // Not read-only: the last connection removes the side files on close only if it may write.
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
  /** Number of the last migration. */
  migration: number;
  calls: number;
  /** Live calls among them. */
  liveCalls: number;
  waitingEvents: number;
  /** Unfinished broadcasts. */
  broadcasts: number;
  /** Names of completed recordings, relative to the data directory. */
  recordings: string[];
  /** Recordings and session archives that are being written. */
  unfinished: number;
  /** Archives of ended sessions. */
  archives: Archive[];
}

/** Reads a copy that no other process uses. */
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
    // Before an upgrade, the new program makes a backup of a database of the old version.
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
