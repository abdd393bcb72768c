/** The embedded store: one SQLite file (write-ahead log beside it), one writer, no server. */
import type { Clock } from '../../core/clock.ts';
import { DeliveryListeners } from '../delivery-listeners.ts';
import type { Store } from '../store.ts';
import { WriteHealth } from '../write-health.ts';
import { sqliteBroadcasts } from './broadcasts.ts';
import { sqliteCallStore } from './call-store.ts';
import { openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { createDeliveryWriter, sqliteOutbox } from './outbox.ts';
import { createProbe } from './probe.ts';
import { sqliteProjects } from './projects.ts';
import { createPruner } from './prune.ts';
import { createReceiptWriter, sqliteReceipts } from './receipts.ts';
import { sqliteRecordings } from './recordings.ts';
import { sqliteSettings } from './settings.ts';
import { createTransactions } from './transaction.ts';

export interface SqliteOptions {
  /** Path of the database file; its folder is made when it is not there. */
  file: string;
  clock: Clock;
}

/** Throws when the file cannot be opened, is no database of ours, or belongs to a newer version. */
export function openSqliteStore({ file, clock }: SqliteOptions): Store {
  const database = openDatabase({ file, nowMs: () => clock.now() });
  const probe = createProbe(file, database);
  const health: WriteHealth = new WriteHealth(clock, () => probe(transaction, health));
  const transaction = createTransactions(database, health);
  const group = new GroupCommit({ database, clock, health });
  const listeners = new DeliveryListeners();
  const deliveryWriter = createDeliveryWriter(database, listeners);
  const receiptWriter = createReceiptWriter(database);
  const broadcasts = sqliteBroadcasts({
    database,
    keep: receiptWriter,
    health,
    enqueue(deliveries) {
      const adds = deliveries.map(deliveryWriter);
      return () => {
        for (const add of adds) add();
      };
    },
    tell: (deliveries) => listeners.emitCommitted(deliveries),
  });
  const forget = createPruner(database, group);
  return {
    calls: sqliteCallStore({ database, group, listeners, deliveryWriter, receiptWriter }),
    outbox: sqliteOutbox({ database, group, listeners }),
    receipts: sqliteReceipts(database, group),
    projects: sqliteProjects(database, transaction),
    recordings: sqliteRecordings(database, transaction),
    settings: sqliteSettings(database, transaction),
    broadcasts,
    writes: health,
    prune: async (limits) => ({
      ...(await forget(limits)),
      broadcasts: await broadcasts.prune(limits.callsEndedBeforeMs),
    }),
    async close() {
      group.close();
      if (database.isOpen) database.close();
    },
  };
}
