/**
 * Test write to check that the store is writable: a row, and a file as large as some seconds of calls, so that there is
 * space for more than the probe.
 */
import { rm, writeFile } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import type { WriteHealth } from '../write-health.ts';
import type { RunInTransaction } from './transaction.ts';
import { writeErrorFrom } from './write-errors.ts';

const FILE_BYTES = 262_144;

export function createProbe(
  file: string,
  database: DatabaseSync,
): (transaction: RunInTransaction, health: WriteHealth) => Promise<void> {
  const touch = database.prepare('UPDATE migrations SET applied_ms = applied_ms WHERE number = 1');
  const spare = `${file}.probe`;
  return async (transaction, health) => {
    try {
      if (file !== ':memory:') await writeFile(spare, Buffer.alloc(FILE_BYTES), { mode: 0o600 });
    } catch (error) {
      const writeError = writeErrorFrom(error);
      if (writeError) health.failed(writeError);
      return;
    } finally {
      await rm(spare, { force: true }).catch(() => undefined);
    }
    if (!database.isOpen) return;
    try {
      transaction(() => touch.run());
    } catch (error) {
      const writeError = writeErrorFrom(error);
      if (writeError) health.failed(writeError);
    }
  };
}
