/**
 * The store that forgets at the end of the process: for tests, rehearsals and the simulated engine.
 * It keeps JSON text as the durable stores do, so that nobody comes to depend on sharing objects with it.
 */
import { systemClock } from '../../core/clock.ts';
import { DeliveryListeners } from '../delivery-listeners.ts';
import type { Store } from '../store.ts';
import { WriteHealth } from '../write-health.ts';
import { MemoryBook } from './book.ts';
import { memoryBroadcasts } from './broadcasts.ts';
import { MemoryOutbox } from './outbox.ts';
import { MemoryProjects } from './projects.ts';
import { MemoryReceipts } from './receipts.ts';
import { MemoryRecordings } from './recordings.ts';
import { MemorySettings } from './settings.ts';

export function createMemoryStore(): Store {
  const outbox = new MemoryOutbox(new DeliveryListeners());
  const receipts = new MemoryReceipts();
  const callStore = new MemoryBook(outbox, receipts);
  const broadcasts = memoryBroadcasts(outbox, receipts);
  return {
    calls: callStore,
    outbox,
    receipts,
    projects: new MemoryProjects(),
    recordings: new MemoryRecordings(),
    settings: new MemorySettings(),
    get broadcasts() {
      return broadcasts.store();
    },
    writes: new WriteHealth(systemClock),
    prune: async ({ callsEndedBeforeMs, deadBeforeMs }) => ({
      calls: callStore.forget(callsEndedBeforeMs),
      ...outbox.forget(deadBeforeMs),
      broadcasts: await broadcasts.forget(callsEndedBeforeMs),
    }),
    close: async () => broadcasts.close(),
  };
}
