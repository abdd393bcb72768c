/**
 * Reads the flows of a database from another process: it is neither changed nor migrated, and a service may be using
 * it.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { FlowVersionStore } from '../../calls/flow-files/flow-version-store.ts';
import { sqliteFlowVersions } from './flow-versions.ts';

export interface KeptFlows {
  versions: Pick<FlowVersionStore, 'list' | 'find'>;
  /** Names of the schedules from the admin API. */
  schedules: string[];
}

const NOTHING: KeptFlows = { versions: { list: () => [], find: () => undefined }, schedules: [] };

/** A database of another version, or an unreadable one, counts as empty. */
export async function lookAtFlows<Made>(file: string, look: (kept: KeptFlows) => Promise<Made>): Promise<Made> {
  const database = existsSync(file) ? openToRead(file) : undefined;
  if (!database) return look(NOTHING);
  try {
    return await look(keptIn(database));
  } finally {
    database.close();
  }
}

function openToRead(file: string): DatabaseSync | undefined {
  try {
    return new DatabaseSync(file, { readOnly: true });
  } catch {
    return undefined;
  }
}

function keptIn(database: DatabaseSync): KeptFlows {
  const transaction = () => {
    throw new Error('the database is only read');
  };
  try {
    const { list, find } = sqliteFlowVersions({ database, transaction });
    const rows = database.prepare("SELECT key FROM settings WHERE kind = 'schedule'").all();
    return { versions: { list, find }, schedules: rows.map(({ key }) => String(key)) };
  } catch {
    return NOTHING;
  }
}
