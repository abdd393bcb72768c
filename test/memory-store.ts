/**
 * A store for one test: SQLite without a file. `close` leaves it open, so that a test can look at what a service that has
 * stopped left in it, or give it to the next service; it is freed with the last reference.
 */
import { systemClock } from '../src/core/clock.ts';
import { openSqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';

export const createMemoryStore = (): Store => ({
  ...openSqliteStore({ file: ':memory:', clock: systemClock }),
  close: async () => undefined,
});
