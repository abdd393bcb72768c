/**
 * The store of a rehearsal: SQLite in memory, but for the numbers of broadcasts, which are in tables of columns. With their
 * rows in SQLite a rehearsal takes 20 to 40 % longer (`bench rehearsal`, 10,000 numbers): every call changes a row four
 * times, and nobody reads it again before the end.
 */
import type { Broadcast } from '../../calls/broadcast/broadcast.ts';
import type { BroadcastStore } from '../../calls/broadcast/broadcast-store.ts';
import { NumberTable } from './number-table.ts';

/** `onClaim` gets which attempt of its number a call is. */
export function createInMemoryBroadcastStore(
  broadcasts: BroadcastStore,
  onClaim?: (attempt: number) => void,
): BroadcastStore {
  const tables = new Map<string, NumberTable>();

  const tableOf = (broadcastId: string): NumberTable => {
    const found = tables.get(broadcastId);
    if (!found) throw new Error(`there is no broadcast ${broadcastId}`);
    return found;
  };
  const withCount = (broadcast: Broadcast): Broadcast => ({
    ...broadcast,
    numbers: tableOf(broadcast.order.broadcastId).count,
  });

  return {
    ...broadcasts,
    async create(broadcast, callees, deliveries) {
      await broadcasts.create(broadcast, [], deliveries);
      tables.set(broadcast.order.broadcastId, new NumberTable(callees, Math.round(broadcast.createdMs)));
    },
    find(broadcastId) {
      const found = broadcasts.find(broadcastId);
      return found && withCount(found);
    },
    list: (query) => broadcasts.list(query).map(withCount),
    unfinished: () => broadcasts.unfinished().map(withCount),

    due: (broadcastId, nowMs, limit) => tableOf(broadcastId).due(nowMs, limit),
    nextDueMs: (broadcastId) => tableOf(broadcastId).nextDueMs(),
    claim(broadcastId, number, call) {
      const attempt = tableOf(broadcastId).claim(number, call);
      if (attempt !== undefined) onClaim?.(attempt);
      return attempt !== undefined;
    },
    release: (broadcastId, number) => tableOf(broadcastId).release(number),
    requeue: (broadcastId, number, attempt, last, dueMs) => tableOf(broadcastId).requeue(number, attempt, last, dueMs),
    settle: (broadcastId, number, end) => tableOf(broadcastId).settle(number, end),
    settleQueued: (broadcastId, end) => tableOf(broadcastId).settleQueued(end),
    calling: (broadcastId, limit) => tableOf(broadcastId).calling(limit),
    counts: (broadcastId) => tableOf(broadcastId).counts(),
    report: (query) => tableOf(query.broadcastId).report(query),
  };
}
