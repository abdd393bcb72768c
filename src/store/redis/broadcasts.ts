/**
 * Broadcasts in Redis, which several nodes call at a time: who claims a number has it. Neighbours: `broadcasts.lua`, which
 * does each change in one step, `broadcast-rows.ts`, `do-not-call.ts`.
 *
 * Invariants
 *  - numbers that a node reads ahead are held for it for a moment, so that nodes do not compete for each of them; a claim
 *    alone decides;
 *  - deliveries are added before the change that they report is answered: after a crash in between they are sent again.
 */
import type { Broadcast, Counts, NumberRow, Result } from '../../calls/broadcast/broadcast.ts';
import type { BroadcastStore, ReportQuery } from '../../calls/broadcast/broadcast-store.ts';
import type { Delivery } from '../../core/delivery.ts';
import { numberLookupKey } from '../../core/phone-number.ts';
import type { Receipt } from '../../core/receipt.ts';
import { slicesOf } from '../../core/slices.ts';
import { lastCallOf, rowOf } from './broadcast-rows.ts';
import type { CommandGroups } from './command-groups.ts';
import { redisDoNotCall } from './do-not-call.ts';
import type { RedisClient } from './redis-client.ts';
import { tagOf } from './shards.ts';

export interface RedisBroadcastParts {
  groups: CommandGroups;
  client: RedisClient;
  /** The life of this node. */
  node: string;
  /** For how long numbers that are read ahead are kept from other nodes; 0: not at all. */
  holdMs?: number;
  nextToken(): string;
  addDeliveries(deliveries: readonly Delivery[]): Promise<void>;
  addReceipt(receipt: Receipt): Promise<void>;
}

const HOLD_MS = 5000;
const ROWS_AT_ONCE = 500;
/** Of all broadcasts: which there are. */
const INDEX = tagOf('broadcasts');

export function redisBroadcasts(parts: RedisBroadcastParts): BroadcastStore {
  const { groups, client, node, holdMs = HOLD_MS } = parts;
  const write = (name: string, id: string, ...args: (string | number)[]): Promise<unknown> =>
    groups.call(name, tagOf(id), [id, ...args.map(String)]);
  const read = async <Reply>(name: string, id: string, ...args: (string | number)[]): Promise<Reply> =>
    (await client.fcall(name, 1, tagOf(id), id, ...args.map(String))) as Reply;

  const find = async (id: string): Promise<Broadcast | undefined> => {
    const found = await read<[string, string, string[]] | null>('cw_b_find', id);
    if (!found) return undefined;
    const changes = found[2].map((text) => JSON.parse(text) as Partial<Broadcast>);
    return Object.assign(JSON.parse(found[0]), ...changes, { numbers: Number(found[1]) }) as Broadcast;
  };
  const findAll = async (ids: readonly string[]): Promise<Broadcast[]> =>
    (await Promise.all(ids.map(find))).filter((found) => found !== undefined);

  const remove = async ({ order: { broadcastId, projectId } }: Broadcast): Promise<void> => {
    await groups.call('cw_b_unindex', INDEX, [broadcastId, projectId]);
    await write('cw_b_remove', broadcastId);
  };

  return {
    async create(broadcast, callees, deliveries, receipt) {
      const { broadcastId, projectId } = broadcast.order;
      const head = JSON.stringify({ ...broadcast, createdMs: Math.round(broadcast.createdMs) });
      if ((await write('cw_b_begin', broadcastId, parts.nextToken(), head)) !== 'OK') {
        throw new Error(`there is a broadcast ${broadcastId}`);
      }
      try {
        let written = 0;
        for (const slice of slicesOf(callees, ROWS_AT_ONCE)) {
          const args = slice.flatMap(({ phone, input }) => [phone, input ? JSON.stringify(input) : '']);
          await write('cw_b_add', broadcastId, Math.round(broadcast.createdMs), written + 1, ...args);
          written += slice.length;
        }
        await groups.call('cw_b_index', INDEX, [broadcastId, projectId]);
        await parts.addDeliveries(deliveries);
        if (receipt) await parts.addReceipt(receipt);
        await write('cw_b_complete', broadcastId, written);
      } catch (error) {
        await remove(broadcast).catch(() => undefined);
        throw error;
      }
      if (broadcast.endedMs !== undefined) await groups.call('cw_b_unindex', INDEX, [broadcastId, '']);
    },
    find,
    async list({ projectId, after, limit }) {
      const key = `${INDEX}:broadcasts:of:${projectId}`;
      const place = after === undefined ? '+inf' : await client.zscore(key, after);
      if (place === null) return [];
      return findAll(
        await client.zrevrangebyscore(key, after === undefined ? '+inf' : `(${place}`, '-inf', 'LIMIT', 0, limit),
      );
    },
    async unfinished() {
      const found = await findAll(await client.zrange(`${INDEX}:broadcasts:open`, '0', '-1'));
      return found.filter(({ endedMs }) => endedMs === undefined);
    },
    async change(broadcastId, change, deliveries) {
      const isEnd = change.endedMs !== undefined;
      const made = await write('cw_b_change', broadcastId, JSON.stringify(change), isEnd ? '1' : '0');
      if (made === 'NONE') throw new Error(`there is no broadcast ${broadcastId}`);
      if (made !== 'OK') return false;
      await parts.addDeliveries(deliveries);
      if (isEnd) await groups.call('cw_b_unindex', INDEX, [broadcastId, '']);
      return true;
    },

    due: async (id, nowMs, limit) => rowsOf((await write('cw_b_due', id, nowMs, limit, holdMs)) as string[]),
    async nextDueMs(id) {
      const dueMs = await read<string | null>('cw_b_next_due', id);
      return dueMs === null ? undefined : Number(dueMs);
    },
    claim: async (id, number, { callId, atMs }) =>
      (await write('cw_b_claim', id, number, callId, Math.round(atMs), node)) === '1',
    release: async (id, number) => void (await write('cw_b_release', id, number)),
    async requeue(id, number, attempt, last, dueMs) {
      const result = [last.code, last.reason, last.cause ?? ''];
      // Rounded up: a number must not be found before it is due.
      const times = [Math.ceil(dueMs), Math.round(attempt.endedMs)];
      await write('cw_b_requeue', id, number, lastCallOf(attempt), ...result, ...times);
    },
    async settle(id, number, { result: { code, reason, cause }, atMs, attempt }) {
      const call = attempt ? lastCallOf(attempt) : '';
      await write('cw_b_settle', id, number, call, code, reason, cause ?? '', Math.round(atMs));
    },
    async settleQueued(id, { result: { code, reason, cause }, atMs, most }) {
      let settled = 0;
      for (;;) {
        const some = Math.min(ROWS_AT_ONCE, (most ?? Number.POSITIVE_INFINITY) - settled);
        if (some <= 0) return settled;
        const done = Number(await write('cw_b_settle_queued', id, code, reason, cause ?? '', Math.round(atMs), some));
        settled += done;
        if (done < some) return settled;
      }
    },
    async calling(id, limit) {
      const found = await read<[string, string][]>('cw_b_calling', id, limit);
      return found.map(([row, caller]) => ({ ...rowOf(row), node: caller }));
    },
    takeOver: async (id, number, fromNode) => (await write('cw_b_take_over', id, number, fromNode, node)) === '1',
    async counts(id) {
      const found = await read<[string, string, number, string[]] | null>('cw_b_counts', id);
      if (!found) throw new Error(`there is no broadcast ${id}`);
      return countsOf(found);
    },
    async report({ broadcastId, after = 0, limit, ...filter }) {
      const numbers = (await find(broadcastId))?.numbers ?? 0;
      const isWanted = filterOf(filter);
      const rows: NumberRow[] = [];
      for (let from = after + 1; from <= numbers && rows.length < limit; from += ROWS_AT_ONCE) {
        const to = Math.min(numbers, from + ROWS_AT_ONCE - 1);
        rows.push(...rowsOf(await read<string[]>('cw_b_rows', broadcastId, from, to)).filter(isWanted));
      }
      return rows.slice(0, limit);
    },
    doNotCall: redisDoNotCall({ groups, client }),
    async remove(broadcastId) {
      const found = await find(broadcastId);
      if (found?.endedMs !== undefined) await remove(found);
    },
    async prune(endedBeforeMs) {
      const ids = await client.zrange(`${INDEX}:broadcasts`, '0', '-1');
      let pruned = 0;
      for (const id of ids) {
        const found = await find(id);
        if (found?.endedMs === undefined || found.endedMs >= endedBeforeMs) continue;
        await remove(found);
        pruned++;
      }
      return pruned;
    },
  };
}

const rowsOf = (texts: readonly string[]): NumberRow[] => texts.map(rowOf);

function countsOf([numbers, calls, calling, tallies]: [string, string, number, string[]]): Counts {
  const came = { success: 0, failed: 0 };
  const reasons = new Map<string, number>();
  for (let at = 0; at < tallies.length; at += 2) {
    const [code, reason] = splitOnce(tallies[at]!);
    const many = Number(tallies[at + 1]);
    came[code as Result['code']] += many;
    reasons.set(reason, (reasons.get(reason) ?? 0) + many);
  }
  const done = came.success + came.failed;
  const queued = Number(numbers) - calling - done;
  const attempts = Number(calls) + calling;
  return { numbers: Number(numbers), queued, calling, done, ...came, reasons: Object.fromEntries(reasons), attempts };
}

const splitOnce = (text: string): [string, string] => {
  const at = text.indexOf(' ');
  return [text.slice(0, at), text.slice(at + 1)];
};

function filterOf({ states, code, reason, phone }: Omit<ReportQuery, 'broadcastId' | 'after' | 'limit'>) {
  const key = phone === undefined ? undefined : numberLookupKey(phone);
  return (row: NumberRow): boolean => {
    if (states && !states.includes(row.state)) return false;
    if ((code !== undefined || reason !== undefined) && row.state !== 'done') return false;
    if (code !== undefined && row.result?.code !== code) return false;
    if (reason !== undefined && row.result?.reason !== reason) return false;
    return key === undefined || numberLookupKey(row.phone) === key;
  };
}
