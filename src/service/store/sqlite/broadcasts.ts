/**
 * Broadcasts in SQLite. Neighbours: `broadcast-numbers.ts`, `broadcast-report.ts`, `do-not-call.ts`.
 *
 * Invariants
 *  - A large broadcast is written in slices, each in a synchronous transaction: live calls use the same connection and
 *    are written between the slices.
 *  - A broadcast with `whole = 0` is being written or deleted. If no process works on it, a crash left it, and the next
 *    `prune` deletes it.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Delivery } from '../../../base/core/delivery.ts';
import type { Broadcast, BroadcastOrder } from '../../calls/broadcast/broadcast.ts';
import type { BroadcastStore } from '../../calls/broadcast/broadcast-store.ts';
import { slicesOf } from '../slices.ts';
import { sqliteBroadcastNumbers } from './broadcast-numbers.ts';
import { sqliteBroadcastReport } from './broadcast-report.ts';
import { sqliteDoNotCall } from './do-not-call.ts';
import { recordOf, type SqlRow } from './rows.ts';
import type { StoreParts } from './store-parts.ts';

/** Numbers per transaction, which takes a few milliseconds. */
const ROWS_PER_TRANSACTION = 1000;
const PRUNED_PER_TRANSACTION = 1000;
/** Maximum broadcast ids cached with their row numbers. */
const MAX_CACHED_IDS = 1000;

const COLUMNS = 'state, created_ms, started_ms, ended_ms, error, numbers, ordered';

export function sqliteBroadcasts(parts: StoreParts): BroadcastStore {
  const { database, transaction, listeners } = parts;
  const numbers = sqliteBroadcastNumbers(database, transaction);
  const reports = sqliteBroadcastReport(database);
  const insert = database.prepare(
    `INSERT INTO broadcasts (broadcast_id, project_id, state, created_ms, started_ms, ended_ms, error, ordered, numbers)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
  );
  const complete = database.prepare('UPDATE broadcasts SET whole = 1, numbers = ? WHERE broadcast_no = ?');
  const findNo = database.prepare('SELECT broadcast_no FROM broadcasts WHERE broadcast_id = ? AND whole = 1');
  const find = database.prepare(`SELECT ${COLUMNS} FROM broadcasts WHERE broadcast_id = ? AND whole = 1`);
  const list = database.prepare(
    `SELECT ${COLUMNS} FROM broadcasts WHERE project_id = ? AND whole = 1 AND broadcast_no < ?
     ORDER BY broadcast_no DESC LIMIT ?`,
  );
  const placeOf = database.prepare(
    'SELECT broadcast_no FROM broadcasts WHERE broadcast_id = ? AND whole = 1 AND project_id = ?',
  );
  const unfinished = database.prepare(
    `SELECT ${COLUMNS} FROM broadcasts WHERE whole = 1 AND ended_ms IS NULL ORDER BY broadcast_no`,
  );
  const change = database.prepare(
    `UPDATE broadcasts SET state = ?, started_ms = coalesce(?, started_ms), ended_ms = coalesce(?, ended_ms),
       error = coalesce(?, error) WHERE broadcast_id = ? AND whole = 1 AND ended_ms IS NULL`,
  );
  const countNumbers = database.prepare('SELECT numbers FROM broadcasts WHERE broadcast_no = ?');
  const hideOld = database.prepare(
    `UPDATE broadcasts SET whole = 0 WHERE whole = 1 AND broadcast_no IN
       (SELECT broadcast_no FROM broadcasts WHERE whole = 1 AND ended_ms < ?)`,
  );
  const hide = database.prepare('UPDATE broadcasts SET whole = 0 WHERE broadcast_no = ? AND ended_ms IS NOT NULL');
  const inPieces = database.prepare('SELECT broadcast_no FROM broadcasts WHERE whole = 0');
  const remove = database.prepare('DELETE FROM broadcasts WHERE broadcast_no = ?');

  const enqueue = (deliveries: readonly Delivery[]): (() => void) => {
    const writes = deliveries.map(parts.deliveryWriter);
    return () => {
      for (const write of writes) write();
    };
  };
  const beingWritten = new Set<number>();
  const known = new Map<string, number>();

  const numberOf = (broadcastId: string): number | undefined => {
    const remembered = known.get(broadcastId);
    if (remembered !== undefined) return remembered;
    const row = findNo.get(broadcastId);
    if (!row) return undefined;
    if (known.size >= MAX_CACHED_IDS) known.clear();
    const broadcastNo = Number(row['broadcast_no']);
    known.set(broadcastId, broadcastNo);
    return broadcastNo;
  };

  /** Returns `fallback` if the broadcast does not exist. */
  const ofOne = <T>(broadcastId: string, fallback: T, work: (broadcastNo: number) => T): T => {
    const broadcastNo = numberOf(broadcastId);
    return broadcastNo === undefined ? fallback : work(broadcastNo);
  };

  const begin = ({ order, state, createdMs, startedMs, endedMs, error }: Broadcast): number => {
    const { lastInsertRowid } = insert.run(
      order.broadcastId,
      order.projectId,
      state,
      Math.round(createdMs),
      rounded(startedMs),
      rounded(endedMs),
      error ?? null,
      JSON.stringify(order),
    );
    return Number(lastInsertRowid);
  };

  const removePieces = async (broadcastNo: number): Promise<void> => {
    while (numbers.remove(broadcastNo, PRUNED_PER_TRANSACTION)) await turn();
    transaction(() => remove.run(broadcastNo));
  };

  return {
    async create(broadcast, callees, deliveries, receipt) {
      const { broadcastId } = broadcast.order;
      if (numberOf(broadcastId) !== undefined) throw new Error(`there is a broadcast ${broadcastId}`);
      const atMs = Math.round(broadcast.createdMs);
      const enqueueAll = enqueue(deliveries);
      const writeReceipt = receipt && parts.receiptWriter(receipt);
      const broadcastNo = transaction(() => begin(broadcast));
      beingWritten.add(broadcastNo);
      try {
        let written = 0;
        for (const slice of slicesOf(callees, ROWS_PER_TRANSACTION)) {
          transaction(() => {
            for (const callee of slice) numbers.add(broadcastNo, ++written, callee, atMs);
          });
          await turn();
        }
        transaction(() => {
          complete.run(written, broadcastNo);
          enqueueAll();
          writeReceipt?.();
        });
      } catch (error) {
        // The next `prune` removes the pieces if this fails.
        await removePieces(broadcastNo).catch(() => undefined);
        throw error;
      } finally {
        beingWritten.delete(broadcastNo);
      }
      listeners.emitCommitted(deliveries);
    },

    async find(broadcastId) {
      const row = find.get(broadcastId);
      return row && broadcastOf(row);
    },

    async list({ projectId, after, limit }) {
      const place = after === undefined ? undefined : placeOf.get(after, projectId);
      if (after !== undefined && !place) return [];
      const before = place ? Number(place['broadcast_no']) : Number.MAX_SAFE_INTEGER;
      return list.all(projectId, before, limit).map(broadcastOf);
    },

    unfinished: async () => unfinished.all().map(broadcastOf),

    async change(broadcastId, { state, startedMs, endedMs, error }, deliveries) {
      const enqueueAll = enqueue(deliveries);
      const isChanged = transaction(() => {
        const { changes } = change.run(state, rounded(startedMs), rounded(endedMs), error ?? null, broadcastId);
        if (changes > 0) enqueueAll();
        else if (numberOf(broadcastId) === undefined) throw new Error(`there is no broadcast ${broadcastId}`);
        return changes > 0;
      });
      if (isChanged) listeners.emitCommitted(deliveries);
      return isChanged;
    },

    due: async (broadcastId, nowMs, limit) => ofOne(broadcastId, [], (no) => numbers.due(no, nowMs, limit)),
    nextDueMs: async (broadcastId) => ofOne(broadcastId, undefined, (no) => numbers.nextDueMs(no)),
    claim: async (broadcastId, number, call) => ofOne(broadcastId, false, (no) => numbers.claim(no, number, call)),
    release: async (broadcastId, number) => ofOne(broadcastId, undefined, (no) => numbers.release(no, number)),
    requeue: async (broadcastId, number, attempt, last, dueMs) =>
      ofOne(broadcastId, undefined, (no) => numbers.requeue(no, number, attempt, last, dueMs)),
    settle: async (broadcastId, number, end) => ofOne(broadcastId, undefined, (no) => numbers.settle(no, number, end)),
    settleQueued: async (broadcastId, end) => ofOne(broadcastId, 0, (no) => numbers.settleQueued(no, end)),
    calling: async (broadcastId, limit) => ofOne(broadcastId, [], (no) => numbers.calling(no, limit)),

    async counts(broadcastId) {
      const broadcastNo = numberOf(broadcastId);
      if (broadcastNo === undefined) throw new Error(`there is no broadcast ${broadcastId}`);
      return reports.counts(broadcastNo, Number(countNumbers.get(broadcastNo)!['numbers']));
    },
    report: async (query) => ofOne(query.broadcastId, [], (no) => reports.report(no, query)),

    doNotCall: sqliteDoNotCall(database, transaction),

    async remove(broadcastId) {
      const broadcastNo = numberOf(broadcastId);
      if (broadcastNo === undefined || transaction(() => hide.run(broadcastNo)).changes === 0) return;
      known.delete(broadcastId);
      await removePieces(broadcastNo);
    },

    async prune(endedBeforeMs) {
      const pruned = Number(transaction(() => hideOld.run(endedBeforeMs)).changes);
      known.clear();
      for (const row of inPieces.all()) {
        const broadcastNo = Number(row['broadcast_no']);
        if (!beingWritten.has(broadcastNo)) await removePieces(broadcastNo);
      }
      return pruned;
    },
  };
}

const rounded = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms));

function broadcastOf({ ordered, ...columns }: SqlRow): Broadcast {
  return { order: JSON.parse(String(ordered)) as BroadcastOrder, ...recordOf<Omit<Broadcast, 'order'>>(columns) };
}
