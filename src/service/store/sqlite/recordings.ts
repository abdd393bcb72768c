/** Recordings in SQLite, one row each. */
import type { KeptRecording, RecordingStore } from '../../calls/recordings/recording-store.ts';
import { recordOf } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

export const RECORDING_COLUMNS = 'recording_id, project_id, call_id, name, file, state, created_ms, duration_ms';

export function sqliteRecordings({ database, transaction }: StoreParts): RecordingStore {
  const insert = database.prepare(`INSERT INTO recordings (${RECORDING_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const taken = database.prepare(
    "SELECT 1 FROM recordings WHERE project_id = ? AND name = ? AND name IS NOT NULL AND state <> 'failed'",
  );
  const close = database.prepare('UPDATE recordings SET state = ?, duration_ms = ? WHERE recording_id = ?');
  const find = database.prepare(`SELECT ${RECORDING_COLUMNS} FROM recordings WHERE recording_id = ?`);
  const old = database.prepare(
    `SELECT ${RECORDING_COLUMNS} FROM recordings WHERE created_ms < ? AND state <> 'open' ORDER BY created_ms LIMIT ?`,
  );
  const remove = database.prepare('DELETE FROM recordings WHERE recording_id = ?');
  const unfinished = database.prepare(
    `SELECT ${RECORDING_COLUMNS} FROM recordings WHERE state = 'open' ORDER BY created_ms`,
  );
  return {
    add({ recordingId, projectId, callId, name, file, state, createdMs, durationMs }) {
      if (name !== undefined && taken.get(projectId, name)) return false;
      const row = [recordingId, projectId, callId, name ?? null, file, state, createdMs, durationMs ?? null];
      transaction(() => insert.run(...row));
      return true;
    },
    close(recordingId, { state, durationMs }) {
      transaction(() => close.run(state, Math.round(durationMs), recordingId));
    },
    find(recordingId) {
      const row = find.get(recordingId);
      return row && recordOf<KeptRecording>(row);
    },
    olderThan: (beforeMs, most) => old.all(beforeMs, most).map(recordOf<KeptRecording>),
    remove(recordingId) {
      transaction(() => remove.run(recordingId));
    },
    unfinished: () => unfinished.all().map(recordOf<KeptRecording>),
  };
}
