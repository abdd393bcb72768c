/** The embedded store: one SQLite file (write-ahead log beside it), one writer, no server. */
import type { Clock } from '../../core/clock.ts';
import { Listeners } from '../listeners.ts';
import type { Store } from '../store.ts';
import { sqliteBook } from './book.ts';
import { openDatabase } from './database.ts';
import { forgetter } from './forget.ts';
import { GroupCommit } from './group-commit.ts';
import { enqueuer, sqliteOutbox } from './outbox.ts';
import { sqliteProjects } from './projects.ts';
import { sqliteRecordings } from './recordings.ts';
import { sqliteSettings } from './settings.ts';

export interface SqliteOptions {
  /** Path of the database file; its folder is made when it is not there. */
  file: string;
  clock: Clock;
}

/** Throws when the file cannot be opened, is no database of ours, or belongs to a newer version. */
export function openSqliteStore({ file, clock }: SqliteOptions): Store {
  const database = openDatabase({ file, nowMs: () => clock.now() });
  const group = new GroupCommit(database);
  const listeners = new Listeners();
  return {
    book: sqliteBook({ database, group, listeners, enqueue: enqueuer(database) }),
    outbox: sqliteOutbox({ database, group, listeners }),
    projects: sqliteProjects(database),
    recordings: sqliteRecordings(database),
    settings: sqliteSettings(database),
    forget: forgetter(database, group),
    async close() {
      group.close();
      if (database.isOpen) database.close();
    },
  };
}
