/** The embedded store: one SQLite file (write-ahead log beside it), one writer, no server. */
import type { Clock } from '../../core/clock.ts';
import { Listeners } from '../listeners.ts';
import type { Store } from '../store.ts';
import { WriteHealth } from '../write-health.ts';
import { sqliteBook } from './book.ts';
import { sqliteBroadcasts } from './broadcasts.ts';
import { openDatabase } from './database.ts';
import { forgetter } from './forget.ts';
import { GroupCommit } from './group-commit.ts';
import { enqueuer, sqliteOutbox } from './outbox.ts';
import { prober } from './probe.ts';
import { sqliteProjects } from './projects.ts';
import { keeper, sqliteReceipts } from './receipts.ts';
import { sqliteRecordings } from './recordings.ts';
import { sqliteSettings } from './settings.ts';
import { transactions } from './transaction.ts';

export interface SqliteOptions {
  /** Path of the database file; its folder is made when it is not there. */
  file: string;
  clock: Clock;
}

/** Throws when the file cannot be opened, is no database of ours, or belongs to a newer version. */
export function openSqliteStore({ file, clock }: SqliteOptions): Store {
  const database = openDatabase({ file, nowMs: () => clock.now() });
  const probe = prober(file, database);
  const health: WriteHealth = new WriteHealth(clock, () => probe(transaction, health));
  const transaction = transactions(database, health);
  const group = new GroupCommit({ database, clock, health });
  const listeners = new Listeners();
  const enqueue = enqueuer(database, listeners);
  const keep = keeper(database);
  const broadcasts = sqliteBroadcasts({
    database,
    keep,
    health,
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
    callStore: sqliteBook({ database, group, listeners, enqueue, keep }),
    outbox: sqliteOutbox({ database, group, listeners }),
    receipts: sqliteReceipts(database, group),
    projects: sqliteProjects(database, transaction),
    recordings: sqliteRecordings(database, transaction),
    settings: sqliteSettings(database, transaction),
    broadcasts,
    writes: health,
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
