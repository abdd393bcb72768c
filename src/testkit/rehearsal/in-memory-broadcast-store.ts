/**
 * The store of a rehearsal: as much of `BroadcastStore` as a life in one process needs, in memory, at a tenth of the cost
 * of the real ones. Deliveries are nobody's here. It passes what the contract suite asks of numbers and their reports.
 */
import type { Broadcast } from '../../calls/broadcast/broadcast.ts';
import type { BroadcastStore, DoNotCallStore } from '../../calls/broadcast/broadcast-store.ts';
import { NumberTable } from './number-table.ts';

interface KeptBroadcast {
  broadcast: Broadcast;
  table: NumberTable;
}

export function createInMemoryBroadcastStore(): BroadcastStore {
  const kept = new Map<string, KeptBroadcast>();

  const tableOf = (broadcastId: string): NumberTable => {
    const found = kept.get(broadcastId);
    if (!found) throw new Error(`there is no broadcast ${broadcastId}`);
    return found.table;
  };

  return {
    async create(broadcast, callees) {
      const { broadcastId } = broadcast.order;
      if (kept.has(broadcastId)) throw new Error(`there is a broadcast ${broadcastId}`);
      const table = new NumberTable(callees, Math.round(broadcast.createdMs));
      kept.set(broadcastId, { broadcast: structuredClone({ ...broadcast, numbers: table.count }), table });
    },
    find(broadcastId) {
      const found = kept.get(broadcastId);
      return found && structuredClone(found.broadcast);
    },
    list({ projectId, after, limit }) {
      const all = [...kept.values()].map(({ broadcast }) => broadcast).reverse();
      const ours = all.filter(({ order }) => order.projectId === projectId);
      const from = after === undefined ? 0 : ours.findIndex(({ order }) => order.broadcastId === after) + 1;
      return structuredClone(after !== undefined && from === 0 ? [] : ours.slice(from, from + limit));
    },
    unfinished: () =>
      structuredClone(
        [...kept.values()].map(({ broadcast }) => broadcast).filter(({ endedMs }) => endedMs === undefined),
      ),
    change(broadcastId, change) {
      tableOf(broadcastId);
      Object.assign(kept.get(broadcastId)!.broadcast, change);
    },

    due: (broadcastId, nowMs, limit) => tableOf(broadcastId).due(nowMs, limit),
    nextDueMs: (broadcastId) => tableOf(broadcastId).nextDueMs(),
    claim: (broadcastId, number, { callId, atMs }) => tableOf(broadcastId).claim(number, callId, atMs),
    release: (broadcastId, number) => tableOf(broadcastId).release(number),
    requeue: (broadcastId, number, attempt, last, dueMs) => tableOf(broadcastId).requeue(number, attempt, last, dueMs),
    settle: (broadcastId, number, end) => tableOf(broadcastId).settle(number, end),
    settleQueued: (broadcastId, { result, atMs, most }) => tableOf(broadcastId).settleQueued(result, atMs, most),
    calling: (broadcastId, limit) => tableOf(broadcastId).calling(limit),
    counts: (broadcastId) => tableOf(broadcastId).counts(),
    report: ({ broadcastId, ...query }) => tableOf(broadcastId).report(query),

    doNotCall: createDoNotCall(),
    async prune(endedBeforeMs) {
      const old = [...kept].filter(
        ([, { broadcast }]) => (broadcast.endedMs ?? Number.POSITIVE_INFINITY) < endedBeforeMs,
      );
      for (const [broadcastId] of old) kept.delete(broadcastId);
      return old.length;
    },
  };
}

function createDoNotCall(): DoNotCallStore {
  const numbers = new Map<string, Map<string, number>>();
  const of = (projectId: string): Map<string, number> => {
    const known = numbers.get(projectId) ?? new Map<string, number>();
    numbers.set(projectId, known);
    return known;
  };
  return {
    add(projectId, keys, atMs) {
      const known = of(projectId);
      const before = known.size;
      for (const key of keys) if (!known.has(key)) known.set(key, atMs);
      return known.size - before;
    },
    remove: (projectId, key) => of(projectId).delete(key),
    has: (projectId, key) => of(projectId).has(key),
    list({ projectId, after, limit }) {
      const keys = [...of(projectId)].sort(([a], [b]) => (a < b ? -1 : 1));
      return keys
        .filter(([key]) => after === undefined || key > after)
        .slice(0, limit)
        .map(([key, addedMs]) => ({ key, addedMs }));
    },
    count: (projectId) => of(projectId).size,
  };
}
