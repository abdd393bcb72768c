/** A store that is gone with the process: SQLite without a file. */
import { systemClock } from '../src/core/clock.ts';
import { openSqliteStore } from '../src/store/sqlite/store.ts';
import type { Store } from '../src/store/store.ts';

export const createMemoryStore = (): Store => openSqliteStore({ file: ':memory:', clock: systemClock });
