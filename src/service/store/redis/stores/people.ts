/**
 * Personal data in Redis and its deletion: events, stored responses, registrations. The node's local store handles its
 * own data. Live calls in Redis are reported, not deleted.
 */
import type { DataSubject } from '../../../../base/core/data-subject.ts';
import type { ErasedRows, PeopleStore, RowKey, Traces } from '../../../calls/people/people-store.ts';
import type { CallRecord } from '../../../runtime/journal.ts';
import type { CommandGroups } from '../connection/command-groups.ts';
import type { Reader } from '../connection/reader.ts';
import { TAGS, tagOf } from '../connection/shards.ts';
import type { RedisCallStore } from './call-store.ts';
import type { Deliveries } from './deliveries.ts';
import { URLS } from './outbox.ts';
import type { SharedTable } from './shared-table.ts';

export interface RedisPeopleParts {
  groups: CommandGroups;
  reader: Reader;
  deliveries: Deliveries;
  calls: RedisCallStore;
  phones: SharedTable;
  settings: SharedTable;
  local: PeopleStore;
  /** Resolves when no call that ended here is still being moved to the archive. */
  archived(): Promise<void>;
}

/** First element of row keys in Redis, which no row key of the local store has. */
const HERE = 'redis';
/** Fields of comments and drafts of the studio; other settings stay. */
const TALK = /^(comment|draft|draft_text) /;
const FIELDS_AT_ONCE = 200;

interface FoundEvent {
  id: string;
  orderKey: string;
  isDead: boolean;
  text: string;
}

export function redisPeople({ local, ...parts }: RedisPeopleParts): PeopleStore {
  const { groups, reader, deliveries, calls, phones, settings } = parts;

  async function eventsAt(tag: string): Promise<FoundEvent[]> {
    const [waiting, dead] = await reader.run((client) =>
      Promise.all([client.zrange(`${tag}:waiting`, '0', '-1'), client.zrange(`${tag}:dead`, '0', '-1')]),
    );
    const ids = [...waiting, ...dead.map((member) => member.slice(member.indexOf(':') + 1))];
    const found: FoundEvent[] = [];
    for (const id of ids) {
      const row = await reader.run((client) => client.hmget(`${tag}:delivery:${id}`, 'key', 'url', 'body', 'dead'));
      const [orderKey, url, body, died] = row;
      if (orderKey && url && body !== null) {
        found.push({ id, orderKey, isDead: died !== null, text: JSON.stringify([orderKey, url]) + body });
      }
    }
    return found;
  }

  /** Keys and stored responses of a project. */
  async function receiptsOf(projectId: string): Promise<[key: string, text: string][]> {
    const name = `${tagOf(projectId)}:receipts:${projectId}`;
    const found: [string, string][] = [];
    for (let cursor = '0'; ; ) {
      const [next, fields] = await reader.run((client) => client.hscan(name, cursor, 'COUNT', FIELDS_AT_ONCE));
      for (let at = 0; at < fields.length; at += 2) found.push([fields[at]!, fields[at + 1]!]);
      if (next === '0') return found;
      cursor = next;
    }
  }

  const removeEvent = async ({ id, orderKey }: Pick<FoundEvent, 'id' | 'orderKey'>): Promise<void> => {
    const [, left] = (await groups.call('cw_forget', tagOf(orderKey), [id])) as [string, string];
    if (left) await deliveries.partsLeft([left]);
  };
  const removeReceipt = (projectId: string, key: string): Promise<unknown> =>
    groups.call('cw_forget_receipt', tagOf(projectId), [projectId, key]);

  async function search(person: DataSubject): Promise<Traces> {
    await parts.archived();
    const traces = await local.search(person);
    const add = (name: string, ...key: string[]): void => {
      traces.rows.set(name, [...(traces.rows.get(name) ?? []), [HERE, ...key]]);
    };
    for (const record of await calls.unfinished()) {
      const journal = await calls.journal(record.callId);
      if (person.isIn(JSON.stringify(record)) || journal.some((entry) => person.isIn(JSON.stringify(entry)))) {
        traces.calls.push({ callId: record.callId, isOver: false });
      }
    }
    for (const tag of TAGS) {
      for (const { id, orderKey, isDead, text } of await eventsAt(tag)) {
        if (person.isIn(text)) add(isDead ? 'dead_deliveries' : 'deliveries', id, orderKey);
      }
      for (const projectId of await reader.run((client) => client.smembers(`${tag}:receipts`))) {
        for (const [key, text] of await receiptsOf(projectId)) {
          const { receipt } = JSON.parse(text) as { receipt: { body: string } };
          if (person.isIn(JSON.stringify(key)) || person.isIn(receipt.body)) add('receipts', projectId, key);
        }
      }
    }
    for (const field of await reader.run((client) => client.hkeys(URLS))) {
      if (person.isIn(field)) add('disabled_urls', field);
    }
    for (const [user, text] of phones.entries()) {
      if (person.isIn(JSON.stringify(user)) || person.isIn(text)) add('phones', user);
    }
    for (const [field, text] of settings.entries()) {
      if (TALK.test(field) && (person.isIn(JSON.stringify(field)) || person.isIn(text))) add('settings', field);
    }
    return traces;
  }

  async function eraseHere(name: string, [, one = '', other = '']: RowKey): Promise<void> {
    const [first, second] = [String(one), String(other)];
    if (name === 'phones') await phones.remove(first, { isNameForgotten: true });
    else if (name === 'settings') await settings.remove(first, { isNameForgotten: true });
    else if (name === 'receipts') await removeReceipt(first, second);
    else if (name === 'disabled_urls') await reader.run((client) => client.hdel(URLS, first));
    else await removeEvent({ id: first, orderKey: second });
  }

  async function erase(traces: Traces, person: DataSubject): Promise<ErasedRows> {
    const isHere = ([first]: RowKey): boolean => first === HERE;
    const own = [...traces.rows].map(([name, keys]) => [name, keys.filter((key) => !isHere(key))] as const);
    const rows = new Map(own.filter(([, keys]) => keys.length > 0).map(([name, keys]) => [name, [...keys]]));
    const erased = await local.erase({ ...traces, rows }, person);
    for (const [name, keys] of traces.rows) {
      const here = keys.filter(isHere);
      for (const key of here) await eraseHere(name, key);
      if (here.length > 0) erased.counts.set(name, (erased.counts.get(name) ?? 0) + here.length);
      if (name === 'deliveries') erased.deliveries.push(...here.map(([, id]) => String(id)));
    }
    return erased;
  }

  const deleteEvents = async (orderKey: string) => {
    const events = (await eventsAt(tagOf(orderKey))).filter((event) => event.orderKey === orderKey);
    for (const event of events) await removeEvent(event);
    const waiting = events.filter(({ isDead }) => !isDead).map(({ id }) => id);
    return { waiting, dead: events.length - waiting.length };
  };

  /** Receipts of a call contain its id. */
  const deleteReceipts = async ({ callId, projectId }: CallRecord): Promise<number> => {
    const naming = (await receiptsOf(projectId)).filter(([, text]) => text.includes(callId));
    for (const [key] of naming) await removeReceipt(projectId, key);
    return naming.length;
  };

  return {
    ...local,
    search,
    erase,
    async deleteCalls(records) {
      await parts.archived();
      const deleted = await local.deleteCalls(records);
      for (const record of records) {
        const { waiting, dead } = await deleteEvents(record.callId);
        deleted.deliveries.push(...waiting);
        deleted.deadLetters += dead;
        deleted.receipts += await deleteReceipts(record);
        await reader.run((client) => client.del(`${tagOf(record.callId)}:old:${record.callId}`));
      }
      return deleted;
    },
    async deleteSession(projectId, confNum) {
      const deleted = await local.deleteSession(projectId, confNum);
      const { waiting, dead } = await deleteEvents(confNum);
      deleted.deliveries.push(...waiting);
      deleted.deadLetters += dead;
      return deleted;
    },
  };
}
