/**
 * Store of a rehearsal: SQLite in memory, except for the numbers of broadcasts, which are in column tables. In SQLite a
 * rehearsal takes 20 to 40 % longer (`bench rehearsal`, 10,000 numbers), because every call updates a row four times
 * that is not read again before the end.
 */
import type { Broadcast } from '../../../service/calls/broadcast/broadcast.ts';
import type { BroadcastStore } from '../../../service/calls/broadcast/broadcast-store.ts';
import { NumberTable } from './number-table.ts';

/** `onClaim` receives the attempt number of a call. */
export function createInMemoryBroadcastStore(
  broadcasts: BroadcastStore,
  onClaim?: (callId: string, attempt: number) => void,
): BroadcastStore {
  const tables = new Map<string, NumberTable>();
  const { doNotCall } = broadcasts;
  /** False while the do-not-call list is empty: then no call asks the database. */
  let hasBarred = false;

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
    doNotCall: {
      ...doNotCall,
      async add(projectId, keys, atMs) {
        hasBarred = true;
        return doNotCall.add(projectId, keys, atMs);
      },
      has: async (projectId, key) => hasBarred && doNotCall.has(projectId, key),
    },
    async create(broadcast, callees, deliveries) {
      await broadcasts.create(broadcast, [], deliveries);
      tables.set(broadcast.order.broadcastId, new NumberTable(callees, Math.round(broadcast.createdMs)));
    },
    async find(broadcastId) {
      const found = await broadcasts.find(broadcastId);
      return found && withCount(found);
    },
    list: async (query) => (await broadcasts.list(query)).map(withCount),
    unfinished: async () => (await broadcasts.unfinished()).map(withCount),

    due: async (broadcastId, nowMs, limit) => tableOf(broadcastId).due(nowMs, limit),
    nextDueMs: async (broadcastId) => tableOf(broadcastId).nextDueMs(),
    async claim(broadcastId, number, call) {
      const attempt = tableOf(broadcastId).claim(number, call);
      if (attempt !== undefined) onClaim?.(call.callId, attempt);
      return attempt !== undefined;
    },
    release: async (broadcastId, number) => tableOf(broadcastId).release(number),
    requeue: async (broadcastId, number, attempt, last, dueMs) =>
      tableOf(broadcastId).requeue(number, attempt, last, dueMs),
    settle: async (broadcastId, number, end) => tableOf(broadcastId).settle(number, end),
    settleQueued: async (broadcastId, end) => tableOf(broadcastId).settleQueued(end),
    calling: async (broadcastId, limit) => tableOf(broadcastId).calling(limit),
    counts: async (broadcastId) => tableOf(broadcastId).counts(),
    report: async (query) => tableOf(query.broadcastId).report(query),
  };
}
