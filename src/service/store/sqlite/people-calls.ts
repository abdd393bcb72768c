/** Deletes calls and sessions with their data in all tables. Neighbour: `people.ts` has the list of tables. */
import { numberLookupKey } from '../../../base/core/phone-number.ts';
import type { DeletedCalls, DeletedEvents, PeopleStore } from '../../calls/people/people-store.ts';
import type { KeptRecording } from '../../calls/recordings/recording-store.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { takeDeliveries } from './deferred-final-events.ts';
import type { DeliveryRow } from './delivery-rows.ts';
import { RECORDING_COLUMNS } from './recordings.ts';
import { recordOf } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

const CALLS_PER_TRANSACTION = 10;
/** Maximum difference between the clocks of requests, calls and rooms. */
const MARGIN_MS = 60_000;

export function createCallDeletion(
  parts: StoreParts,
): Pick<PeopleStore, 'recordingsOf' | 'deleteCalls' | 'deleteSession'> {
  const { database } = parts;
  const recordingsOf = database.prepare(`SELECT ${RECORDING_COLUMNS} FROM recordings WHERE call_id = ?`);
  const findNo = database.prepare('SELECT call_no FROM calls WHERE call_id = ?');
  const removeJournal = database.prepare('DELETE FROM journal WHERE call_no = ?');
  const removeCall = database.prepare('DELETE FROM calls WHERE call_no = ?');
  const removeWaiting = ['in_line = 1', 'in_line = 0'].map((place) =>
    database.prepare(`DELETE FROM deliveries WHERE order_key = ? AND ${place} RETURNING id, part_of, url`),
  );
  const removeDead = database.prepare('DELETE FROM dead_deliveries WHERE order_key = ?');
  const removeReceipts = database.prepare(
    'DELETE FROM receipts WHERE project_id = ? AND created_ms BETWEEN ? AND ? AND instr(body, ?) > 0',
  );
  // A phone in a room has its call as reference; later entries contain only its `call_num`.
  const removeDetails = database.prepare(
    "DELETE FROM call_details WHERE at_ms BETWEEN ? AND ? AND body ->> '$.user.ref' = ?",
  );
  const phonesOf = database.prepare(
    `SELECT DISTINCT body ->> '$.call_num' AS phone FROM room_journal
     WHERE at_ms BETWEEN ? AND ? AND instr(body, ?) > 0 AND body ->> '$.user_ref' = ?`,
  );
  const removeEntries = database.prepare(
    "DELETE FROM room_journal WHERE at_ms BETWEEN ? AND ? AND instr(body, ?) > 0 AND body ->> '$.call_num' = ?",
  );
  const removeSession = ['room_journal', 'call_details'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE project_id = ? AND conf_num = ?`),
  );
  const forgetResult = database.prepare(
    `UPDATE broadcast_numbers INDEXED BY broadcast_numbers_dialled SET call_id = NULL, output = NULL
     WHERE broadcast_no = (SELECT broadcast_no FROM broadcasts WHERE broadcast_id = ? AND whole = 1)
       AND dialled = ? AND call_id = ? AND stage IS NULL`,
  );

  const removeFromRooms = (callId: string, fromMs: number, toMs: number): number => {
    let removed = Number(removeDetails.run(fromMs, toMs, callId).changes);
    for (const { phone } of phonesOf.all(fromMs, toMs, callId, callId)) {
      removed += Number(removeEntries.run(fromMs, toMs, phone!, phone!).changes);
    }
    return removed;
  };

  const removeEvents = (orderKey: string, deleted: DeletedEvents, out: (row: DeliveryRow) => void): void => {
    for (const statement of removeWaiting) {
      for (const row of statement.all(orderKey)) {
        deleted.deliveries.push(String(row['id']));
        out(row);
      }
    }
    deleted.deadLetters += Number(removeDead.run(orderKey).changes);
  };

  const remove = (record: CallRecord, deleted: DeletedCalls, out: (row: DeliveryRow) => void): void => {
    const { callId, projectId, broadcastId, startedMs, endedMs = startedMs } = record;
    const time = [startedMs - MARGIN_MS, endedMs + MARGIN_MS] as const;
    const callNo = findNo.get(callId)?.['call_no'];
    if (callNo === undefined) return;
    removeJournal.run(callNo);
    removeCall.run(callNo);
    removeEvents(callId, deleted, out);
    deleted.receipts += Number(removeReceipts.run(projectId, ...time, callId).changes);
    deleted.roomEntries += removeFromRooms(callId, ...time);
    if (broadcastId !== undefined) forgetResult.run(broadcastId, numberLookupKey(record.to), callId);
  };

  return {
    async deleteSession(projectId, confNum) {
      let deleted = { ...noEvents(), roomEntries: 0 };
      await takeDeliveries(parts, 'people', (out) => {
        deleted = { ...noEvents(), roomEntries: 0 };
        for (const statement of removeSession) deleted.roomEntries += Number(statement.run(projectId, confNum).changes);
        removeEvents(confNum, deleted, out);
      });
      return deleted;
    },
    recordingsOf: (callId) => recordingsOf.all(callId).map(recordOf<KeptRecording>),
    async deleteCalls(calls) {
      const deleted = nothing();
      for (let first = 0; first < calls.length; first += CALLS_PER_TRANSACTION) {
        const some = calls.slice(first, first + CALLS_PER_TRANSACTION);
        let done = nothing();
        await takeDeliveries(parts, 'people', (out) => {
          done = nothing();
          for (const call of some) remove(call, done, out);
        });
        deleted.deliveries.push(...done.deliveries);
        deleted.deadLetters += done.deadLetters;
        deleted.receipts += done.receipts;
        deleted.roomEntries += done.roomEntries;
      }
      return deleted;
    },
  };
}

const noEvents = (): DeletedEvents => ({ deliveries: [], deadLetters: 0 });
const nothing = (): DeletedCalls => ({ ...noEvents(), receipts: 0, roomEntries: 0 });
