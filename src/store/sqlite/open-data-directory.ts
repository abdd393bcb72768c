/** Opens the database of a data directory, which belongs to one process at a time. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import type { Store } from '../store.ts';
import { claimDataDirectory } from './ownership.ts';
import { openSqliteStore } from './store.ts';

interface HasData {
  dataDirectory: string;
}

export const databaseFile = ({ dataDirectory }: HasData): string => join(dataDirectory, 'callweave.db');

/** Throws `DATA_IN_USE` while a service works with it. */
export function openDataDirectory({ dataDirectory }: HasData, clock: Clock): Store {
  mkdirSync(join(dataDirectory, 'recordings'), { recursive: true, mode: 0o700 });
  const release = claimDataDirectory(join(dataDirectory, 'callweave.lock'));
  try {
    const store = openSqliteStore({ file: databaseFile({ dataDirectory }), clock });
    return { ...store, close: () => store.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}
