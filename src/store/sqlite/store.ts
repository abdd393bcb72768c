/** The embedded store: one SQLite file (write-ahead log beside it), one writer, no server. */
import type { Clock } from '../../core/clock.ts';
import { Listeners } from '../listeners.ts';
import type { Store } from '../store.ts';
import { sqliteBook } from './book.ts';
import { sqliteBroadcasts } from './broadcasts.ts';
import { openDatabase } from './database.ts';
import { forgetter } from './forget.ts';
import { GroupCommit } from './group-commit.ts';
import { enqueuer, sqliteOutbox } from './outbox.ts';
import { sqliteProjects } from './projects.ts';
import { keeper, sqliteReceipts } from './receipts.ts';
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
  const enqueue = enqueuer(database, listeners);
  const keep = keeper(database);
  const broadcasts = sqliteBroadcasts({
    database,
    keep,
    enqueue(deliveries) {
      const adds = deliveries.map(enqueue);
      return () => {
        for (const add of adds) add();
      };
    },
    tell: (deliveries) => listeners.tell(deliveries),
  });
  const forget = forgetter(database, group);
  return {
    book: sqliteBook({ database, group, listeners, enqueue, keep }),
    outbox: sqliteOutbox({ database, group, listeners }),
    projects: sqliteProjects(database),
    receipts: sqliteReceipts(database, group),
    recordings: sqliteRecordings(database),
    settings: sqliteSettings(database),
    broadcasts,
    forget: async (limits) => ({
      ...(await forget(limits)),
      broadcasts: await broadcasts.forget(limits.callsEndedBeforeMs),
    }),
    async close() {
      group.close();
      if (database.isOpen) database.close();
    },
  };
}
