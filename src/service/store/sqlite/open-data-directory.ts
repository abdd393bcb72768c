/** Opens the database of a data directory, which belongs to one process at a time. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../base/core/clock.ts';
import type { Store } from '../store.ts';
import { claimDataDirectory } from './ownership.ts';
import { openSqliteStore } from './store.ts';

interface HasData {
  dataDirectory: string;
}

export const databaseFile = ({ dataDirectory }: HasData): string => join(dataDirectory, 'callweave.db');

/** Lock file that a service holds while it uses the data directory. */
export const LOCK = 'callweave.lock';
/** Folder of an incomplete restore. */
export const RESTORING = '.restoring';

export class DataIncomplete extends Error {
  readonly code = 'DATA_INCOMPLETE';
}

/** Throws `DATA_IN_USE` while a service uses the directory, and `DATA_INCOMPLETE` after an interrupted restore. */
export function openDataDirectory({ dataDirectory }: HasData, clock: Clock): Store {
  const restoring = join(dataDirectory, RESTORING);
  if (existsSync(restoring)) throw new DataIncomplete(`a restore is not complete: repeat it, or remove ${restoring}`);
  mkdirSync(join(dataDirectory, 'recordings'), { recursive: true, mode: 0o700 });
  const release = claimDataDirectory(join(dataDirectory, LOCK));
  try {
    const store = openSqliteStore({ file: databaseFile({ dataDirectory }), clock });
    return { ...store, close: () => store.close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}
