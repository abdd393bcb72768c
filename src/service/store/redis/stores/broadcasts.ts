/**
 * Broadcasts in Redis, whose numbers several nodes call at once; a claim assigns a number to one node. Neighbours:
 * `broadcasts.lua` makes each change atomic, `broadcast-rows.ts`, `unsent-deliveries.ts` for the events of changes,
 * `do-not-call.ts`.
 *
 * Invariants
 *  - Numbers that a node reads ahead are reserved for it briefly, so that nodes do not compete for each of them; only a
 *    claim decides.
 *  - Deliveries are written with the change that they report, and added to the outbox afterwards: by this node, or by
 *    another once this one is lost. They may be added twice, with the same ids.
 *  - A broadcast that is ready is completed, with its receipt, even if its node dies. Before that it is invisible, and
 *    removed later.
 */
import type { Delivery } from '../../../../base/core/delivery.ts';
import { numberLookupKey } from '../../../../base/core/phone-number.ts';
import type { Receipt } from '../../../../base/core/receipt.ts';
import type { Broadcast, Callee, Counts, NumberRow, Result } from '../../../calls/broadcast/broadcast.ts';
import type { BroadcastStore, ReportQuery } from '../../../calls/broadcast/broadcast-store.ts';
import type { ReceiptStore } from '../../../calls/control/receipt-store.ts';
import { slicesOf } from '../../slices.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { Reader } from '../connection/reader.ts';
import { tagOf } from '../connection/shards.ts';
import { lastCallOf, rowOf } from './broadcast-rows.ts';
import { redisDoNotCall } from './do-not-call.ts';
import { UnsentDeliveries } from './unsent-deliveries.ts';

export interface RedisBroadcastParts {
  groups: CommandGroups;
  reader: Reader;
  /** Epoch id of this node. */
  node: string;
  /** Time for which numbers read ahead are reserved, in ms; 0: not at all. */
  holdMs?: number;
  addDeliveries(deliveries: readonly Delivery[]): Promise<void>;
  receipts: Pick<ReceiptStore, 'find' | 'add'>;
}

const HOLD_MS = 5000;
const ROWS_AT_ONCE = 500;
/** Hash tag of the index of all broadcasts. */
const INDEX = tagOf('broadcasts');

export function redisBroadcasts(parts: RedisBroadcastParts): BroadcastStore {
  const { groups, reader, node, receipts, holdMs = HOLD_MS } = parts;
  let tokens = 0;
  const nextToken = (): string => `${node} ${++tokens}`;
  const write = (name: string, id: string, ...args: (string | number)[]): Promise<unknown> =>
    groups.call(name, tagOf(id), [id, ...args.map(String)]);
  const read = <Reply>(name: string, id: string, ...args: (string | number)[]): Promise<Reply> =>
    reader.ask<Reply>(name, tagOf(id), [id, ...args.map(String)]);
  const open = (): Promise<string[]> => reader.run((client) => client.zrange(`${INDEX}:broadcasts:open`, '0', '-1'));
  const unsent = new UnsentDeliveries({ node, write, addDeliveries: parts.addDeliveries });
  /** Broadcasts that this node is creating. */
  const beingMade = new Set<string>();

  const found = async (id: string, whole: 'whole' | 'ready' = 'whole'): Promise<Broadcast | undefined> => {
    const head = await read<[string, string, string[]] | null>('cw_b_find', id, whole);
    if (!head) return undefined;
    const changes = head[2].map((text) => JSON.parse(text) as Partial<Broadcast>);
    return Object.assign(JSON.parse(head[0]), ...changes, { numbers: Number(head[1]) }) as Broadcast;
  };
  const findAll = async (ids: readonly string[]): Promise<Broadcast[]> =>
    (await Promise.all(ids.map((id) => found(id)))).filter((each) => each !== undefined);

  const remove = async ({ order: { broadcastId, projectId } }: Broadcast): Promise<void> => {
    await groups.call('cw_b_unindex', INDEX, [broadcastId, projectId]);
    await write('cw_b_remove', broadcastId);
  };
  const indexEnd = (id: string, endedMs: number): Promise<unknown> =>
    groups.call('cw_b_index_end', INDEX, [id, `${Math.round(endedMs)}`]);

  /** Completes a broadcast that is ready. */
  const complete = async ({ order }: Broadcast, receipt: Receipt | undefined): Promise<void> => {
    if (receipt) await receipts.add(receipt);
    await groups.call('cw_b_index', INDEX, [order.broadcastId, order.projectId]);
    await write('cw_b_complete', order.broadcastId);
  };

  const writeRows = async (broadcast: Broadcast, callees: Iterable<Callee>): Promise<number> => {
    const { broadcastId } = broadcast.order;
    let written = 0;
    for (const slice of slicesOf(callees, ROWS_AT_ONCE)) {
      const args = slice.flatMap(({ phone, input }) => [phone, input ? JSON.stringify(input) : '']);
      await write('cw_b_add', broadcastId, Math.round(broadcast.createdMs), written + 1, ...args);
      written += slice.length;
    }
    return written;
  };

  type Left = [whole: string, maker: string, receipt: string, ended: string, unsent: string[]];
  /** Completes the operations that this node, or a lost one, did not finish. */
  const repair = async (id: string, isLost: (node: string) => boolean): Promise<void> => {
    if (beingMade.has(id)) return;
    const [whole, maker, receiptText, ended, texts] = await read<Left>('cw_b_left', id);
    if (whole === '') return void (await groups.call('cw_b_unindex', INDEX, [id, '']));
    if (whole === 'ready' && (maker === node || isLost(maker))) {
      const receipt = JSON.parse(receiptText) as Receipt;
      const broadcast = (await found(id, 'ready'))!;
      const known = await receipts.find(receipt.projectId, receipt.key);
      // The request was repeated and carried out before this broadcast was found.
      if (known && known.body !== receipt.body) return remove(broadcast);
      await complete(broadcast, receipt);
    }
    if (texts.some(unsent.isUnderWay)) return;
    if (whole !== '0') await unsent.send(id, texts, isLost);
    // The next pass checks that all of them are sent.
    if (ended === '' || texts.length > 0) return;
    const { endedMs } = (await found(id))!;
    await indexEnd(id, endedMs!);
  };

  return {
    async create(broadcast, callees, deliveries, receipt) {
      const { broadcastId, projectId } = broadcast.order;
      const head = JSON.stringify({ ...broadcast, createdMs: Math.round(broadcast.createdMs) });
      if ((await write('cw_b_begin', broadcastId, nextToken(), head)) !== 'OK') {
        throw new Error(`there is a broadcast ${broadcastId}`);
      }
      beingMade.add(broadcastId);
      try {
        const written = await writeRows(broadcast, callees);
        await groups.call('cw_b_index', INDEX, [broadcastId, receipt ? '' : projectId]);
        const events = unsent.textsOf(deliveries);
        await write('cw_b_ready', broadcastId, written, node, receipt ? JSON.stringify(receipt) : '', ...events);
        if (receipt) await complete(broadcast, receipt);
        await unsent.send(broadcastId, events, () => false);
      } catch (error) {
        // If this write fails too, the broadcast may exist, as after a crash.
        await remove(broadcast).catch(() => undefined);
        throw error;
      } finally {
        beingMade.delete(broadcastId);
      }
      if (broadcast.endedMs !== undefined) await indexEnd(broadcastId, broadcast.endedMs);
    },
    find: (id) => found(id),
    async list({ projectId, after, limit }) {
      const key = `${INDEX}:broadcasts:of:${projectId}`;
      let before = '+inf';
      if (after !== undefined) {
        const place = await reader.run((client) => client.zscore(key, after));
        if (place === null) return [];
        before = `(${place}`;
      }
      const listed: Broadcast[] = [];
      while (listed.length < limit) {
        const most = limit - listed.length;
        const page = await reader.run((client) =>
          client.zrevrangebyscore(key, before, '-inf', 'WITHSCORES', 'LIMIT', 0, most),
        );
        listed.push(...(await findAll(page.filter((_, index) => index % 2 === 0))));
        if (page.length < 2 * most) break;
        before = `(${page.at(-1)}`;
      }
      return listed;
    },
    async unfinished() {
      return (await findAll(await open())).filter(({ endedMs }) => endedMs === undefined);
    },
    async change(broadcastId, change, deliveries) {
      const { state, endedMs } = change;
      const events = unsent.textsOf(deliveries);
      const given = [nextToken(), state, endedMs === undefined ? '' : '1', JSON.stringify(change), ...events];
      const made = await unsent.whileSending(events, async () => {
        const reply = await write('cw_b_change', broadcastId, ...given);
        const [, , , , texts] = reply === 'OK' && events.length > 0 ? await read<Left>('cw_b_left', broadcastId) : NONE;
        // Send earlier events first, including those that other nodes have not sent.
        await unsent.send(broadcastId, texts, () => true);
        return reply;
      });
      if (made === 'NONE') throw new Error(`there is no broadcast ${broadcastId}`);
      if (made === 'OK' && endedMs !== undefined) await indexEnd(broadcastId, endedMs);
      return made === 'OK';
    },
    async repair(isLost) {
      for (const id of await open()) await repair(id, isLost);
    },

    due: async (id, nowMs, limit) => rowsOf((await write('cw_b_due', id, nowMs, limit, holdMs)) as string[]),
    letGo: async (id, numbers) => void (await write('cw_b_let_go', id, ...numbers)),
    async nextDueMs(id) {
      const dueMs = await read<string | null>('cw_b_next_due', id);
      return dueMs === null ? undefined : Number(dueMs);
    },
    claim: async (id, number, { callId, atMs }) =>
      (await write('cw_b_claim', id, number, callId, Math.round(atMs), node)) === '1',
    release: async (id, number) => void (await write('cw_b_release', id, number, node)),
    async requeue(id, number, attempt, last, dueMs, lost = node) {
      const result = [last.code, last.reason, last.cause ?? ''];
      // Rounded up: a number must not be found before it is due.
      const times = [Math.ceil(dueMs), Math.round(attempt.endedMs)];
      await write('cw_b_requeue', id, number, lastCallOf(attempt), ...result, ...times, lost);
    },
    async settle(id, number, { result: { code, reason, cause }, atMs, attempt, node: lost }) {
      const call = attempt ? lastCallOf(attempt) : '';
      const holder = [lost ?? node, lost === undefined ? '' : '1'];
      await write('cw_b_settle', id, number, call, code, reason, cause ?? '', Math.round(atMs), ...holder);
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
      const calling = await read<[string, string][]>('cw_b_calling', id, limit);
      return calling.map(([row, caller]) => ({ ...rowOf(row), node: caller }));
    },
    callingNodes: (id) => read<string[]>('cw_b_callers', id),
    async counts(id) {
      const counts = await read<[string, string, number, string[]] | null>('cw_b_counts', id);
      if (!counts) throw new Error(`there is no broadcast ${id}`);
      return countsOf(counts);
    },
    async report({ broadcastId, after = 0, limit, ...filter }) {
      const numbers = (await found(broadcastId))?.numbers ?? 0;
      const isWanted = filterOf(filter);
      const rows: NumberRow[] = [];
      for (let from = after + 1; from <= numbers && rows.length < limit; from += ROWS_AT_ONCE) {
        const to = Math.min(numbers, from + ROWS_AT_ONCE - 1);
        rows.push(...rowsOf(await read<string[]>('cw_b_rows', broadcastId, from, to)).filter(isWanted));
      }
      return rows.slice(0, limit);
    },
    doNotCall: redisDoNotCall({ groups, reader }),
    async remove(broadcastId) {
      const broadcast = await found(broadcastId);
      if (broadcast?.endedMs !== undefined) await remove(broadcast);
    },
    async prune(endedBeforeMs) {
      let pruned = 0;
      for (;;) {
        const key = `${INDEX}:broadcasts:ended`;
        const ids = await reader.run((client) =>
          client.zrangebyscore(key, '-inf', `(${Math.round(endedBeforeMs)}`, 'LIMIT', 0, PRUNED_AT_ONCE),
        );
        for (const id of ids) {
          const broadcast = await found(id);
          // Another node may be deleting it already.
          if (broadcast) await remove(broadcast);
          else await groups.call('cw_b_unindex', INDEX, [id, '']);
        }
        pruned += ids.length;
        if (ids.length < PRUNED_AT_ONCE) return pruned;
      }
    },
  };
}

const PRUNED_AT_ONCE = 100;
const NONE: [string, string, string, string, string[]] = ['', '', '', '', []];

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
