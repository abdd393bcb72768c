/**
 * Broadcasts in memory: SQLite without a file. A hundred thousand numbers take a quarter of what objects would, and one
 * implementation has to be right. It is opened when the first is asked for, because most of whoever keeps calls in memory
 * never asks for one.
 */
import type { BroadcastStore } from '../../calls/broadcast/broadcast-store.ts';
import { sqliteBroadcasts } from '../sqlite/broadcasts.ts';
import { openDatabase } from '../sqlite/database.ts';
import type { MemoryOutbox } from './outbox.ts';
import type { MemoryReceipts } from './receipts.ts';

export interface MemoryBroadcasts {
  store(): BroadcastStore;
  forget(endedBeforeMs: number): Promise<number>;
  close(): void;
}

export function memoryBroadcasts(outbox: MemoryOutbox, receipts: MemoryReceipts): MemoryBroadcasts {
  let opened: { store: BroadcastStore; close(): void } | undefined;
  return {
    store() {
      opened ??= open(outbox, receipts);
      return opened.store;
    },
    forget: async (endedBeforeMs) => opened?.store.prune(endedBeforeMs) ?? 0,
    close() {
      opened?.close();
    },
  };
}

function open(outbox: MemoryOutbox, receipts: MemoryReceipts): { store: BroadcastStore; close(): void } {
  // When its tables were made is of no interest: they are gone with the process.
  const database = openDatabase({ file: ':memory:', nowMs: () => 0 });
  const store = sqliteBroadcasts({
    database,
    enqueue: (deliveries) => () => outbox.add(deliveries),
    keep: (receipt) => () => receipts.keep(receipt),
    tell: (deliveries) => outbox.tell(deliveries),
  });
  return {
    store,
    close() {
      if (database.isOpen) database.close();
    },
  };
}
