/**
 * Live calls in Redis. A commit is one function call, which rejects another fence or a gap and accepts repetitions.
 * Ended calls are in the archive of a node (`call-archive.ts`): reads here include that of this node.
 *
 * Invariants
 *  - The journal entries of a call are numbered from 1 without gaps.
 *  - After a failover, writes of this node's calls that the new primary lacks are replayed (`recent-writes.ts`) before later
 *    ones.
 */
import type { Clock } from '../../../../base/core/clock.ts';
import type { Delivery } from '../../../../base/core/delivery.ts';
import type { Json } from '../../../../base/core/json.ts';
import { Fenced } from '../../../../base/core/ownership.ts';
import type { Receipt } from '../../../../base/core/receipt.ts';
import type { CallQuery, CallStore, CallWrite, ListedCall } from '../../../runtime/call-store.ts';
import type { CallRecord, Checkpoint, JournalEntry } from '../../../runtime/journal.ts';
import { checkSequence, gapError } from '../../journal-sequence.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import { encodeCommand } from '../connection/encoded-command.ts';
import type { Reader } from '../connection/reader.ts';
import { tagOf } from '../connection/shards.ts';
import { adoptedCall, type CallArchive, entriesOf } from './call-archive.ts';
import type { Deliveries } from './deliveries.ts';
import type { EncryptedValues } from './encrypted-values.ts';
import { type RecentWrite, RecentWrites } from './recent-writes.ts';

export interface RedisCallStoreParts {
  groups: CommandGroups;
  reader: Reader;
  deliveries: Deliveries;
  archive: CallArchive;
  /** Archive of this node. */
  local: CallStore;
  /** Absent: values masked in journals are not stored. */
  sealed?: EncryptedValues | undefined;
  addReceipt(receipt: Receipt, callId: string): Promise<void>;
  clock: Clock;
}

export interface RedisCallStore extends CallStore {
  /** Archive that holds an ended call. Undefined if there is none. */
  archiveOf(callId: string): Promise<string | undefined>;
  /** After a reconnect: resends the last write of each call, and earlier ones that the server lacks. */
  replayRecentWrites(): Promise<void>;
}

/** Characters of JSON after which a page of a journal ends; one commit more may follow. */
const PAGE_CHARACTERS = 2 ** 20;
const PAGE_COMMITS = 20;

export function redisCallStore(parts: RedisCallStoreParts): RedisCallStore {
  const { groups, reader, deliveries: outbox, archive, local, clock, sealed } = parts;
  const recentWrites = new RecentWrites();

  const withPrivate = ({ record, unmasked = [] }: CallWrite, args: string[]): { name: string; all: string[] } => {
    if (!sealed || unmasked.length === 0) return { name: 'cw_commit', all: args };
    const values = unmasked.flatMap(({ seq, value }) => [`${seq}`, sealed.seal(record.callId, seq, value)]);
    return { name: 'cw_commit_private', all: [`${unmasked.length}`, ...values, ...args] };
  };

  const argsOf = (write: CallWrite): RecentWrite => {
    const { record, checkpoint, entries, owner, fence } = write;
    const { callId } = record;
    const firstSeq = entries[0]?.seq ?? 0;
    const lastSeq = entries.at(-1)?.seq ?? 0;
    const texts = [JSON.stringify(record), JSON.stringify(checkpoint), JSON.stringify(entries)];
    const own = write.deliveries.filter(({ orderKey }) => tagOf(orderKey) === tagOf(callId));
    const args = [
      ...[callId, owner, `${fence}`, `${firstSeq}`, `${lastSeq}`],
      ...[`${record.startedMs}`, `${record.endedMs ?? ''}`, ...texts, record.projectId],
      ...outbox.argsOf(own),
    ];
    const { name, all } = withPrivate(write, args);
    const command = encodeCommand(name, [tagOf(callId)], all);
    return { callId, owner, fence, firstSeq, lastSeq, command, atMs: clock.monotonicMs() };
  };

  const callServer = async ({ command }: RecentWrite): Promise<[word: string, rest: string]> => {
    const [word, rest = ''] = String(await groups.send(command)).split(' ', 2);
    return [word!, rest];
  };

  /** Resends the writes before `beforeSeq` that the server lacks. False if some of them are no longer kept. */
  const resendMissing = async (callId: string, lastSeq: number, beforeSeq: number): Promise<boolean> => {
    const missing = recentWrites.between(callId, lastSeq, beforeSeq);
    const replies = await Promise.all(missing.map(callServer));
    return replies.length > 0 && replies.every(([word]) => word === 'OK' || word === 'DUP');
  };

  const send = async (write: RecentWrite, isRepaired = false): Promise<string> => {
    const { callId, firstSeq } = write;
    const [word, rest] = await callServer(write);
    if (word === 'OK' || word === 'DUP') return rest;
    if (word === 'GAP' && !isRepaired && (await resendMissing(callId, Number(rest), firstSeq)))
      return send(write, true);
    recentWrites.forget(callId);
    if (word === 'FENCED') throw new Fenced(callId, write);
    if (word === 'TAKEN') throw new Error(`call ${callId}: there is a delivery ${rest} already`);
    // The adopting node has archived the call; this node is fenced.
    if (word === 'ARCHIVED' && rest !== archive.name) throw new Fenced(callId, write);
    if (word === 'ARCHIVED') throw new Archived(callId);
    throw gapError(callId, firstSeq);
  };

  const commit = async (write: CallWrite): Promise<void> => {
    const { record, entries, deliveries, receipt } = write;
    const { callId } = record;
    checkSequence(callId, entries);
    const recent = argsOf(write);
    const others = deliveries.filter(({ orderKey }) => tagOf(orderKey) !== tagOf(callId));
    const own = deliveries.filter((delivery) => !others.includes(delivery));
    const isEnd = record.endedMs !== undefined;
    // Copied, because the objects may change before the later write.
    const late = isEnd ? structuredClone(write) : undefined;
    if (receipt) await parts.addReceipt(receipt, callId);
    recentWrites.add(recent);
    if (deliveries.length > 0) await outbox.announceEnds(deliveries);
    let flags = '';
    try {
      flags = await send(recent);
    } catch (error) {
      recentWrites.forget(callId);
      if (!(error instanceof Archived) || !late) throw error;
      await local.commit({ ...late, deliveries: [] });
      await outbox.add(late.deliveries);
    }
    recentWrites.trim(clock.monotonicMs());
    await reportWritten(own, flags, others);
    if (!isEnd) return;
    recentWrites.forget(callId);
    archive.move(callId);
  };

  const reportWritten = async (own: Delivery[], flags: string, others: Delivery[]): Promise<void> => {
    if (own.length > 0) await outbox.written(own, flags);
    if (others.length > 0) await outbox.add(others);
  };

  const field = async <Made>(callId: string, name: string): Promise<Made | undefined> => {
    const text = await reader.run((client) => client.hget(`${tagOf(callId)}:call:${callId}`, name));
    return text ? (JSON.parse(text) as Made) : undefined;
  };

  type LiveRow = [callId: string, startedMs: string, number: string, record: string];
  const live = async ({
    projectId = '',
    after,
    fromMs,
    toMs,
    limit,
  }: Omit<CallQuery, 'isLive'>): Promise<ListedCall[]> => {
    const before = after !== undefined && after.startedMs <= toMs ? after : { startedMs: toMs + 1, number: 0 };
    const asked = [projectId, fromMs, toMs, before.startedMs, before.number, limit].map(String);
    const rows = (await reader.askAll<LiveRow[]>('cw_live', asked)).flat();
    return rows
      .map(([, startedMs, number, record]) => ({
        cursor: { startedMs: Number(startedMs), number: Number(number) },
        record: JSON.parse(record) as CallRecord,
      }))
      .sort(newestFirst)
      .slice(0, limit);
  };

  return {
    commit: (write) => commit(write),
    async call(callId) {
      const kept = (await field<CallRecord>(callId, 'record')) ?? (await local.call(callId));
      return kept ?? adoptedCall(reader, callId);
    },
    async checkpoint(callId) {
      return (await field<Checkpoint>(callId, 'checkpoint')) ?? local.checkpoint(callId);
    },
    async journal(callId) {
      const key = `${tagOf(callId)}:journal:${callId}`;
      const texts = await reader.run((client) => client.lrange(key, 0, -1));
      return texts.length > 0 ? texts.flatMap(entriesOf) : local.journal(callId);
    },
    async journalPage(callId, { afterSeq, limit }) {
      const key = `${tagOf(callId)}:journal:${callId}`;
      const entries: JournalEntry[] = [];
      let characters = 0;
      for (let from = 0; ; from += PAGE_COMMITS) {
        const texts = await reader.run((client) => client.lrange(key, from, from + PAGE_COMMITS - 1));
        if (from === 0 && texts.length === 0) return local.journalPage(callId, { afterSeq, limit });
        for (const text of texts) {
          if (characters >= PAGE_CHARACTERS) return { entries, hasMore: true };
          for (const entry of entriesOf(text)) {
            if (entry.seq <= afterSeq) continue;
            if (entries.length === limit) return { entries, hasMore: true };
            entries.push(entry);
          }
          if (entries.length > 0) characters += text.length;
        }
        if (texts.length < PAGE_COMMITS) return { entries, hasMore: false };
      }
    },
    async list({ isLive, ...query }) {
      const now = await live(query);
      if (isLive) return now;
      // Archived calls have smaller numbers: among calls of the same millisecond, live ones come first.
      const liveIds = new Set(now.map(({ record }) => record.callId));
      const ended = (await local.list(query)).filter(({ record }) => !liveIds.has(record.callId));
      return [...now, ...ended].sort(newestFirst).slice(0, query.limit);
    },
    async unfinished() {
      const all = await live({ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER - 1, limit: MANY });
      return all.reverse().map(({ record }) => record);
    },
    async adopt(callId, { owner, seenFence }) {
      const fence = await groups.call('cw_adopt', tagOf(callId), [callId, owner, `${seenFence}`]);
      return fence === null ? undefined : Number(fence);
    },
    async ownership(callId) {
      const key = `${tagOf(callId)}:call:${callId}`;
      const [owner, fence, ended] = await reader.run((client) => client.hmget(key, 'owner', 'fence', 'ended'));
      if (!owner) return local.ownership(callId);
      return { owner, fence: Number(fence), isEnded: ended !== null };
    },
    async ownedBy(owner) {
      type Row = [callId: string, startedMs: string, number: string];
      const rows = (await reader.askAll<Row[]>('cw_owned', [owner])).flat();
      rows.sort((a, b) => Number(a[1]) - Number(b[1]) || Number(a[2]) - Number(b[2]));
      return rows.map(([callId]) => callId);
    },
    async owners() {
      return [...new Set((await reader.askAll<string[]>('cw_owners', [])).flat())].sort();
    },
    async unmasked(callId) {
      const found = await reader.run((client) => client.hgetall(`${tagOf(callId)}:private:${callId}`));
      const opened = Object.entries(found).map(([seq, text]) => [+seq, sealed?.open(callId, +seq, text)] as const);
      return new Map(opened.filter((one): one is [number, Json] => one[1] !== undefined));
    },
    async archiveOf(callId) {
      return (await reader.run((client) => client.get(`${tagOf(callId)}:old:${callId}`))) ?? undefined;
    },
    async replayRecentWrites() {
      // A fenced call, or one with missing writes, gets the error at its next commit.
      await Promise.allSettled(recentWrites.lasts().map((write) => send(write)));
    },
  };
}

const MANY = 1_000_000;

const newestFirst = (a: ListedCall, b: ListedCall): number =>
  b.cursor.startedMs - a.cursor.startedMs || b.cursor.number - a.cursor.number;

/** The call has ended and is in an archive. */
class Archived extends Error {
  constructor(callId: string) {
    super(`call ${callId} has ended`);
  }
}
