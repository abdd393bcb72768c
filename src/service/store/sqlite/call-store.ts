/**
 * Calls in SQLite: a row for each call, and a row for the journal entries of each commit.
 * Invariant: the journal entries of a call are numbered from 1 without gaps.
 */
import type { SQLOutputValue } from 'node:sqlite';
import { Fenced } from '../../../base/core/ownership.ts';
import type { CallStore, CallWrite } from '../../runtime/call-store.ts';
import type { CallRecord, Checkpoint, JournalEntry } from '../../runtime/journal.ts';
import { checkSequence, gapError } from '../journal-sequence.ts';
import type { StoreParts } from './store-parts.ts';

export function sqliteCallStore({ database, group, listeners, deliveryWriter, receiptWriter }: StoreParts): CallStore {
  const insertCall = database.prepare(
    `INSERT INTO calls (call_id, project_id, started_ms, ended_ms, last_seq, record, checkpoint, owner, fence)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (call_id) DO UPDATE
     SET ended_ms = excluded.ended_ms, last_seq = excluded.last_seq, record = excluded.record, checkpoint = excluded.checkpoint
     WHERE last_seq = 0 AND fence = excluded.fence
     RETURNING call_no`,
  );
  // The conditions reject a gap, a repetition, and a write under another fence. The number finds the row without the
  // index of ids; a rolled back or deleted call may have had the same number.
  const preparedUpdate = (ending: string) =>
    database.prepare(
      `UPDATE calls SET ${ending} last_seq = ?, record = ?, checkpoint = ?
       WHERE call_no = ? AND call_id = ? AND last_seq = ? AND fence = ?`,
    );
  const updateCall = preparedUpdate('');
  // Apart, because a change of this column also looks for changes of the indexes of ended calls.
  const updateEndedCall = preparedUpdate('ended_ms = ?,');
  const selectNumber = database.prepare('SELECT call_no FROM calls WHERE call_id = ?');
  /** Numbers of the live calls that this process has written. */
  const numbers = new Map<string, SQLOutputValue>();
  const insertEntries = database.prepare('INSERT INTO journal (call_no, first_seq, entries) VALUES (?, ?, ?)');
  const selectCall = database.prepare('SELECT record FROM calls WHERE call_id = ?');
  const selectCheckpoint = database.prepare('SELECT checkpoint FROM calls WHERE call_id = ?');
  const selectJournal = database.prepare(
    'SELECT entries FROM journal WHERE call_no = (SELECT call_no FROM calls WHERE call_id = ?) ORDER BY first_seq',
  );
  // Starts at the row that contains the entry; rows of later commits follow.
  const selectJournalFrom = database.prepare(
    `WITH one AS (SELECT call_no FROM calls WHERE call_id = ?)
     SELECT entries FROM journal WHERE call_no = (SELECT call_no FROM one) AND first_seq >=
       (SELECT max(first_seq) FROM journal WHERE call_no = (SELECT call_no FROM one) AND first_seq <= ?)
     ORDER BY first_seq`,
  );
  const selectUnfinished = database.prepare(
    'SELECT record FROM calls WHERE ended_ms IS NULL ORDER BY started_ms, call_no',
  );

  const selectOwnership = database.prepare('SELECT owner, fence, last_seq, ended_ms FROM calls WHERE call_id = ?');
  const updateOwner = database.prepare(
    `UPDATE calls SET owner = ?, fence = fence + 1 WHERE call_id = ? AND fence = ? AND ended_ms IS NULL RETURNING fence`,
  );
  const selectOwned = database.prepare(
    'SELECT call_id FROM calls WHERE ended_ms IS NULL AND owner = ? ORDER BY started_ms, call_no',
  );
  const selectOwners = database.prepare('SELECT DISTINCT owner FROM calls WHERE ended_ms IS NULL ORDER BY owner');

  const preparedList = (calls: string) => {
    const prepare = (isOfProject: string) =>
      database.prepare(
        `SELECT call_no, started_ms, record FROM ${calls}
         ${isOfProject} AND started_ms >= ? AND (started_ms, call_no) < (?, ?)
         ORDER BY started_ms DESC, call_no DESC LIMIT ?`,
      );
    return { ofOne: prepare('AND project_id = ?'), ofAll: prepare('') };
  };
  const selectList = preparedList('calls WHERE true');
  const selectLive = preparedList('calls INDEXED BY calls_unfinished WHERE ended_ms IS NULL');

  /**
   * Serialises everything immediately, so that later changes of the caller's objects have no effect. The returned
   * function returns true if it wrote, false for a repetition.
   */
  const prepared = ({ record, checkpoint, entries, deliveries, receipt, owner, fence }: CallWrite): (() => boolean) => {
    const recordText = JSON.stringify(record);
    const checkpointText = JSON.stringify(checkpoint);
    const firstSeq = entries[0]?.seq;
    const entriesText = JSON.stringify(entries);
    const enqueues = deliveries.map(deliveryWriter);
    const keepReceipt = receipt && receiptWriter(receipt);
    const { callId, projectId, startedMs } = record;
    const endedMs = record.endedMs ?? null;
    const lastSeq = entries.at(-1)?.seq;
    return () => {
      const last = lastSeq ?? lastSeqOf(callId);
      const known = firstSeq === undefined ? last : firstSeq - 1;
      const insert = (): SQLOutputValue | undefined =>
        insertCall.get(callId, projectId, startedMs, endedMs, last, recordText, checkpointText, owner, fence)?.[
          'call_no'
        ];
      const update = (): SQLOutputValue | undefined => {
        const callNo = numbers.get(callId) ?? selectNumber.get(callId)?.['call_no'];
        if (callNo === undefined) return undefined;
        const rest = [last, recordText, checkpointText, callNo, callId, known, fence];
        const { changes } = endedMs === null ? updateCall.run(...rest) : updateEndedCall.run(endedMs, ...rest);
        return changes === 0 ? undefined : callNo;
      };
      const callNo = known === 0 ? insert() : update();
      if (callNo === undefined || endedMs !== null) numbers.delete(callId);
      else numbers.set(callId, callNo);
      if (callNo === undefined) {
        const found = selectOwnership.get(callId);
        if (found && Number(found['fence']) !== fence) throw new Fenced(callId, { owner, fence });
        if (found && last <= Number(found['last_seq'])) return false;
        throw gapError(callId, known + 1);
      }
      if (firstSeq !== undefined) insertEntries.run(callNo, firstSeq, entriesText);
      for (const add of enqueues) add();
      keepReceipt?.();
      return true;
    };
  };

  const selectLastSeq = database.prepare('SELECT last_seq FROM calls WHERE call_id = ?');
  const lastSeqOf = (callId: string): number => Number(selectLastSeq.get(callId)?.['last_seq'] ?? 0);

  const parsed = <T>(row: Record<string, unknown> | undefined, column: string): T | undefined =>
    row === undefined ? undefined : (JSON.parse(row[column] as string) as T);

  return {
    commit(write) {
      const { record, entries, deliveries } = write;
      try {
        checkSequence(record.callId, entries);
        const work = prepared(write);
        let isNew = true;
        return group.write(
          record.callId,
          () => {
            isNew = work();
          },
          () => isNew && listeners.emitCommitted(deliveries),
        );
      } catch (error) {
        return Promise.reject(error);
      }
    },
    call: async (callId) => parsed<CallRecord>(selectCall.get(callId), 'record'),
    checkpoint: async (callId) => parsed<Checkpoint>(selectCheckpoint.get(callId), 'checkpoint'),
    journal: async (callId) => selectJournal.all(callId).flatMap((row) => parsed<JournalEntry[]>(row, 'entries')!),
    async journalPage(callId, { afterSeq, limit }) {
      const entries: JournalEntry[] = [];
      let characters = 0;
      for (const row of selectJournalFrom.iterate(callId, afterSeq + 1)) {
        if (characters >= PAGE_CHARACTERS) return { entries, hasMore: true };
        for (const entry of parsed<JournalEntry[]>(row, 'entries')!) {
          if (entry.seq <= afterSeq) continue;
          if (entries.length === limit) return { entries, hasMore: true };
          entries.push(entry);
        }
        if (entries.length > 0) characters += (row['entries'] as string).length;
      }
      return { entries, hasMore: false };
    },
    async list({ projectId, after, fromMs, toMs, isLive, limit }) {
      const before = after !== undefined && after.startedMs <= toMs ? after : { startedMs: toMs + 1, number: 0 };
      const { ofOne, ofAll } = isLive ? selectLive : selectList;
      const asked = [fromMs, before.startedMs, before.number, limit];
      const rows = projectId === undefined ? ofAll.all(...asked) : ofOne.all(projectId, ...asked);
      return rows.map((row) => ({
        cursor: { startedMs: Number(row['started_ms']), number: Number(row['call_no']) },
        record: parsed<CallRecord>(row, 'record')!,
      }));
    },
    unfinished: async () => selectUnfinished.all().map((row) => parsed<CallRecord>(row, 'record')!),
    async adopt(callId, { owner, seenFence }) {
      let fence: number | undefined;
      await group.write(callId, () => {
        const row = updateOwner.get(owner, callId, seenFence);
        fence = row && Number(row['fence']);
      });
      return fence;
    },
    async ownership(callId) {
      const row = selectOwnership.get(callId);
      if (!row) return undefined;
      return { owner: String(row['owner']), fence: Number(row['fence']), isEnded: row['ended_ms'] !== null };
    },
    ownedBy: async (owner) => selectOwned.all(owner).map((row) => String(row['call_id'])),
    owners: async () => selectOwners.all().map((row) => String(row['owner'])),
  };
}

/** Characters of JSON after which a page of a journal ends; one commit more may follow. */
const PAGE_CHARACTERS = 2 ** 20;
