/**
 * SQLite store: one database file with its write-ahead log, one writer, no server. With the file `:memory:` it keeps
 * everything in the process, for tests.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { DeliveryListeners } from '../delivery-listeners.ts';
import type { Store } from '../store.ts';
import { WriteHealth } from '../write-health.ts';
import { sqliteArchives } from './archives.ts';
import { sqliteBroadcasts } from './broadcasts.ts';
import { sqliteCallDetails } from './call-details.ts';
import { sqliteCallStore } from './call-store.ts';
import { sqliteCallbacks } from './callbacks.ts';
import { sqliteCanaries } from './canaries.ts';
import { sqliteChanges } from './changes.ts';
import { IN_MEMORY, openDatabase } from './database.ts';
import { sqliteFlowVersions } from './flow-versions.ts';
import { GroupCommit } from './group-commit.ts';
import { createDeliveryWriter, sqliteOutbox } from './outbox.ts';
import { sqlitePeople } from './people.ts';
import { createProbe } from './probe.ts';
import { sqliteProjects } from './projects.ts';
import { createPruner } from './prune.ts';
import { createReceiptWriter, sqliteReceipts } from './receipts.ts';
import { sqliteRecordings } from './recordings.ts';
import { sqliteRoomJournal } from './room-journal.ts';
import { sqliteRooms } from './rooms.ts';
import { sqliteSettings } from './settings.ts';
import { sqliteSipTraces } from './sip-traces.ts';
import type { StoreParts } from './store-parts.ts';
import { createTransactions } from './transaction.ts';
import { sqliteUsedTokens } from './used-tokens.ts';

export interface SqliteOptions {
  /** Path of the database file; its folder is created if it does not exist. `:memory:`: no file. */
  file: string;
  clock: Clock;
}

/** Throws if the file cannot be opened, is not a database of this program, or belongs to a newer version. */
export function openSqliteStore({ file, clock }: SqliteOptions): Store {
  const database = openDatabase({ file, nowMs: () => clock.now() });
  const probe = createProbe(file, database);
  const health: WriteHealth = new WriteHealth(clock, () => probe(transaction, health));
  const transaction = createTransactions(database, health);
  const listeners = new DeliveryListeners();
  const parts: StoreParts = {
    database,
    transaction,
    group: new GroupCommit({ database, clock, health, isImmediate: file === IN_MEMORY }),
    listeners,
    deliveryWriter: createDeliveryWriter(database, listeners),
    receiptWriter: createReceiptWriter(database),
  };
  const broadcasts = sqliteBroadcasts(parts);
  const prune = createPruner(parts);
  return {
    calls: sqliteCallStore(parts),
    outbox: sqliteOutbox(parts),
    receipts: sqliteReceipts(parts),
    projects: sqliteProjects(parts),
    recordings: sqliteRecordings(parts),
    settings: sqliteSettings(parts),
    flowVersions: sqliteFlowVersions(parts),
    canaries: sqliteCanaries(parts),
    callbacks: sqliteCallbacks(parts),
    changes: sqliteChanges(parts),
    broadcasts,
    rooms: sqliteRooms(parts),
    usedTokens: sqliteUsedTokens(parts),
    callDetails: sqliteCallDetails(parts),
    archives: sqliteArchives(parts),
    roomJournal: sqliteRoomJournal(parts),
    sipTraces: sqliteSipTraces(parts),
    people: sqlitePeople(parts),
    writes: health,
    prune: async (limits) => ({
      ...(await prune(limits)),
      broadcasts: await broadcasts.prune(limits.callsEndedBeforeMs),
    }),
    async close() {
      parts.group.close();
      if (database.isOpen) database.close();
    },
  };
}
