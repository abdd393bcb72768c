/**
 * A store for one test: SQLite without a file. `close` leaves it open, so that a test can look at what a service that has
 * stopped left in it, or give it to the next service; it is freed with the last reference.
 */
import { systemClock } from '../src/base/core/clock.ts';
import { openSqliteStore } from '../src/service/store/sqlite/store.ts';
import type { Store } from '../src/service/store/store.ts';

export const createMemoryStore = (): Store => ({
  ...openSqliteStore({ file: ':memory:', clock: systemClock }),
  close: async () => undefined,
});
