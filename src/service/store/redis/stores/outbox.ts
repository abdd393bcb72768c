/**
 * Outbox in Redis: delivery queues in the shards of their order keys. Deliveries of calls are written with their commit
 * (`call-store.ts`). Neighbour: `deliveries.ts`.
 *
 * Invariants
 *  - An id is unique within its shard only; ids are random.
 *  - A final event that waits for parts is announced before it is written, and checked again when a part leaves its
 *    queue: if two nodes do both at once, at least one sees the other's write.
 */
import type {
  DeadLetter,
  DeadLetterCause,
  Outbox,
  OverdueQuery,
  RequeueQuery,
} from '../../../observers/webhooks/outbox.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { Reader } from '../connection/reader.ts';
import { TAGS, tagOf } from '../connection/shards.ts';
import { type Deliveries, queuedOf } from './deliveries.ts';
import type { WakeHints } from './wake-hints.ts';

type Row = (string | null)[];
/** '1', or '0' if nothing changed; the whole that has no parts left; the receiver of the next delivery in line. */
type Taken = [isDone: string, left?: string, nextReceiver?: string];

const FIELDS = 10;
/** Disabled URLs: project and URL. */
export const URLS = 'cw:{urls}:disabled';

export interface RedisOutboxParts {
  groups: CommandGroups;
  reader: Reader;
  deliveries: Deliveries;
  wakeHints: WakeHints;
  isCluster: boolean;
}

export interface RedisOutbox extends Outbox {
  /** Deletes older dead letters and disabled URLs. */
  prune(beforeMs: number): Promise<{ deliveries: number; urls: number }>;
}

export function redisOutbox({ groups, reader, deliveries, wakeHints, isCluster }: RedisOutboxParts): RedisOutbox {
  /** Undefined if the delivery does not exist. */
  const change = async <Reply>(name: string, id: string, args: readonly string[]): Promise<Reply | undefined> => {
    const tag = await deliveries.tagOfDelivery(id);
    return tag === undefined ? undefined : ((await groups.call(name, tag, [id, ...args])) as Reply);
  };
  const take = async (name: string, id: string, args: readonly string[] = []): Promise<void> => {
    const [isDone, left] = (await change<Taken>(name, id, args)) ?? ['0'];
    if (isDone === '1' && left) await deliveries.partsLeft([left]);
  };
  /** Without a cluster, one command reads all shards; in a cluster there is one command per shard. */
  const inShards = isCluster ? TAGS : [TAGS];
  const learned = (rows: Row[]): Row[] => {
    for (const row of rows) deliveries.learn(row[0]!, row[2]!);
    return rows;
  };
  const found = async (id: string): Promise<Row | undefined> => {
    const tag = await deliveries.tagOfDelivery(id);
    return tag === undefined ? undefined : (await reader.ask<Row[]>('cw_find', tag, [id]))[0];
  };
  const waiting = async (receiver: string) => {
    type Counts = [waiting: number, dead: number, createdMs: string, number: string, receivers: string[]];
    const all = await reader.askAll<Counts>('cw_waiting', [receiver]);
    const oldest = all.filter(([, , , number]) => number !== '').sort((a, b) => Number(a[3]) - Number(b[3]))[0];
    return {
      waiting: all.reduce((sum, [count]) => sum + count, 0),
      dead: all.reduce((sum, [, count]) => sum + count, 0),
      oldestCreatedMs: oldest && Number(oldest[2]),
      receivers: [...new Set(all.flatMap(([, , , , receivers]) => receivers))].sort(),
    };
  };
  const deadRows = async (projectId: string, query: readonly (string | number)[]): Promise<Row[]> =>
    (await reader.askAll<Row[]>('cw_dead', [projectId, ...query.map(String)])).flatMap(learned);

  const requeue = async (id: string, dueMs: number, inLine: boolean) => {
    type Requeued = [isDone: number, receiver?: string, url?: string];
    const reply = await change<Requeued>('cw_requeue', id, [`${dueMs}`, inLine ? '1' : '0']);
    return reply?.[0] === 1 ? { receiver: reply[1]!, url: reply[2]! } : undefined;
  };

  const enableUrl = async (projectId: string, url: string): Promise<void> => {
    await reader.run((client) => client.hdel(URLS, urlField(projectId, url)));
  };

  return {
    subscribe: (listener) => deliveries.listeners.subscribe(listener),
    ...wakeHints,
    receivers: async () => (await waiting('')).receivers,
    async due(receiver, { nowMs, limit, mostTriedFirst = false }) {
      const asked = [receiver, `${nowMs}`, `${limit}`, mostTriedFirst ? '1' : '0'];
      const rows = (await reader.askAll<Row[]>('cw_due', asked)).flatMap(learned);
      if (isCluster) rows.sort(mostTriedFirst ? byAttempts : byDueTime);
      return rows.slice(0, limit).map(queuedOf);
    },
    async nextDueMs(receiver, afterMs) {
      const times = await reader.askAll<string | null>('cw_next_due', [receiver, `${afterMs}`]);
      const known = times.filter((time) => time !== null).map(Number);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    async headOfLine(orderKey, count) {
      return learned(await reader.ask<Row[]>('cw_line', tagOf(orderKey), [orderKey, `${count}`])).map(queuedOf);
    },
    async find(id) {
      const row = await found(id);
      return row && !row[FIELDS] ? queuedOf(row) : undefined;
    },
    add: (all) => deliveries.add(all),
    delivered: (id) => take('cw_delivered', id),
    async postpone(id, { attempts, dueMs }) {
      await change('cw_postpone', id, [`${attempts}`, `${dueMs}`]);
    },
    leaveLine: (id) => take('cw_aside', id),
    deadLetter: (id, { deadMs, deathCause }) => take('cw_bury', id, [`${deadMs}`, deathCause]),
    async deadLetterOverdue(receiver, query) {
      const gone = { count: 0, receivers: new Set<string>() };
      for (const tags of inShards) {
        const asked = overdueArgs(receiver, query, query.limit - gone.count);
        type Buried = [count: number, nextReceivers: string[], left: string[]];
        const [count, nextReceivers, left] = (await groups.call('cw_overdue', tags, asked)) as Buried;
        gone.count += count;
        for (const next of nextReceivers) gone.receivers.add(next);
        await deliveries.partsLeft(left);
        if (gone.count >= query.limit) break;
      }
      return gone;
    },
    requeue: async (id, dueMs) => (await requeue(id, dueMs, false)) !== undefined,
    async requeueAll({ projectId, urlPrefix, deadByMs, after, limit, dueMs }: RequeueQuery) {
      const range = [after?.deadMs ?? 0, deadByMs, after?.number ?? -1];
      const rows = (await deadRows(projectId, ['0', limit, ...range])).sort(byDeath).slice(0, limit);
      const receivers = new Set<string>();
      const urls = new Set<string>();
      let count = 0;
      for (const row of rows.filter(([, , , url]) => url!.startsWith(urlPrefix))) {
        const requeued = await requeue(row[0]!, dueMs, true);
        if (!requeued) continue;
        count += 1;
        receivers.add(requeued.receiver);
        urls.add(requeued.url);
      }
      for (const url of urls) await enableUrl(projectId, url);
      const last = rows.length < limit ? undefined : rows.at(-1);
      return { count, receivers, next: last && { deadMs: Number(last[FIELDS]), number: Number(last[FIELDS + 2]) } };
    },
    async deadLetters(projectId, limit) {
      const rows = await deadRows(projectId, ['1', limit, '-inf', '+inf', 0]);
      return rows
        .sort((a, b) => byDeath(b, a))
        .slice(0, limit)
        .map(deadLetterOf);
    },
    async findDeadLetter(id) {
      const row = await found(id);
      return row?.[FIELDS] ? deadLetterOf(row) : undefined;
    },
    async counts() {
      const { waiting: count, dead } = await waiting('');
      return { waiting: count, dead };
    },
    waitingFor: async (receiver) => (await waiting(receiver)).waiting,
    oldestCreatedMs: async () => (await waiting('')).oldestCreatedMs,
    isDisabled: async (projectId, url) =>
      (await reader.run((client) => client.hexists(URLS, urlField(projectId, url)))) === 1,
    async disableUrl(projectId, url, atMs) {
      await reader.run((client) => client.hset(URLS, urlField(projectId, url), atMs));
    },
    enableUrl,
    async disabledUrls(projectId) {
      const all = await reader.run((client) => client.hgetall(URLS));
      return Object.entries(all)
        .map(([field, ms]) => ({ of: JSON.parse(field) as [string, string], disabledMs: Number(ms) }))
        .filter(({ of }) => of[0] === projectId)
        .map(({ of, disabledMs }) => ({ url: of[1], disabledMs }))
        .sort((a, b) => b.disabledMs - a.disabledMs || (a.url < b.url ? -1 : 1));
    },
    async prune(beforeMs) {
      let count = 0;
      for (const tags of inShards) {
        for (let gone = PRUNE_SIZE; gone === PRUNE_SIZE; count += gone) {
          gone = Number(await groups.call('cw_forget_dead', tags, [`${beforeMs}`, `${PRUNE_SIZE}`]));
        }
      }
      const all = Object.entries(await reader.run((client) => client.hgetall(URLS)));
      const old = all.filter(([, ms]) => Number(ms) < beforeMs).map(([field]) => field);
      if (old.length > 0) await reader.run((client) => client.hdel(URLS, ...old));
      return { deliveries: count, urls: old.length };
    },
  };
}

const PRUNE_SIZE = 500;

const urlField = (projectId: string, url: string): string => JSON.stringify([projectId, url]);

const overdueArgs = (receiver: string, { dueByMs, deadMs, deathCause }: OverdueQuery, limit: number): string[] => [
  receiver,
  `${deadMs}`,
  deathCause,
  `${limit}`,
  ...dueByMs.map(String),
];

const deadLetterOf = (row: Row): DeadLetter => ({
  ...queuedOf(row),
  inLine: false,
  deadMs: Number(row[FIELDS]),
  deathCause: row[FIELDS + 1] as DeadLetterCause,
});

const ATTEMPTS = 6;
const DUE = 7;
/** Column of `cw_due` rows that follows the fields. */
const NUMBER = FIELDS;

const byColumns =
  (...columns: readonly [column: number, sign: 1 | -1][]) =>
  (a: Row, b: Row): number => {
    for (const [column, sign] of columns) {
      const difference = Number(a[column]) - Number(b[column]);
      if (difference !== 0) return sign * difference;
    }
    return 0;
  };

const byDueTime = byColumns([DUE, 1], [ATTEMPTS, 1], [NUMBER, 1]);
const byAttempts = byColumns([ATTEMPTS, -1], [DUE, 1], [NUMBER, 1]);
/** Order of `cw_dead` rows: time of death, then sequence number. */
const byDeath = byColumns([FIELDS, 1], [FIELDS + 2, 1]);
