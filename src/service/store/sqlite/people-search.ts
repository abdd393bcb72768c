/**
 * Searches for a person in all tables that may contain personal data. Texts are read in bounded portions, with other
 * work in between.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { DataSubject } from '../../../base/core/data-subject.ts';
import type { RowKey, Traces } from '../../calls/people/people-store.ts';
import { isSearched, type SearchedTable, TABLES } from './people-tables.ts';
import type { StoreParts } from './store-parts.ts';

/** Characters read in one turn of the event loop, which takes a few milliseconds. */
const CHARACTERS_PER_TURN = 200_000;
const ROWS_PER_TURN = 500;

/** A row that names the person. */
interface Found {
  key: RowKey;
  about: Value[];
}

type Value = string | number | null;

export function createPeopleSearch({
  database,
}: Pick<StoreParts, 'database'>): (person: DataSubject) => Promise<Traces> {
  const callOf = database.prepare('SELECT call_id, ended_ms FROM calls WHERE call_no = ?');
  const broadcastOf = database.prepare('SELECT broadcast_id FROM broadcasts WHERE broadcast_no = ?');

  /** Rows of a table in the order of their key, yielding to the event loop between portions. */
  async function* rowsOf(name: string, { key, texts, about = [] }: SearchedTable): AsyncGenerator<[Found, string[]]> {
    const names = key.join(', ');
    const select = `SELECT ${[...key, ...about, ...texts].join(', ')} FROM ${name}`;
    const order = `ORDER BY ${names} LIMIT ${ROWS_PER_TURN}`;
    const first = database.prepare(`${select} ${order}`);
    const next = database.prepare(`${select} WHERE (${names}) > (${key.map(() => '?').join(', ')}) ${order}`);
    for (const statement of [first, next]) statement.setReturnArrays(true);
    for (let last: RowKey | undefined; ; await turn()) {
      const piece: [Found, string[]][] = [];
      let characters = 0;
      const rows = (last === undefined ? first.iterate() : next.iterate(...last)) as unknown as Iterable<Value[]>;
      for (const row of rows) {
        const found = {
          key: row.slice(0, key.length) as (string | number)[],
          about: row.slice(key.length, -texts.length),
        };
        const written = row.slice(-texts.length).filter((text) => text !== null);
        piece.push([found, written.map(String)]);
        characters += written.reduce<number>((sum, text) => sum + String(text).length, 0);
        if (characters >= CHARACTERS_PER_TURN) break;
      }
      yield* piece;
      if (piece.length === 0) return;
      last = piece.at(-1)![0].key;
    }
  }

  return async (person) => {
    const traces: Traces = {
      ...{ calls: [], recordings: [], broadcasts: [], queued: [], rooms: [], archives: [] },
      ...{ sessions: new Set(), rows: new Map(), staying: new Map() },
    };
    const callNos = new Set<string | number>();
    const callIds = new Set<string | undefined>();
    /** Participant numbers in room sessions: later entries identify people only by these. */
    const callNums = new Set<string | undefined>();

    const addCall = (callNo: string | number): void => {
      if (callNos.has(callNo)) return;
      callNos.add(callNo);
      const call = callOf.get(callNo);
      if (!call) return;
      callIds.add(String(call['call_id']));
      traces.calls.push({ callId: String(call['call_id']), isOver: call['ended_ms'] !== null });
    };
    const addRow = (name: string, key: RowKey): void => {
      const keys = traces.rows.get(name) ?? [];
      keys.push(key);
      traces.rows.set(name, keys);
    };
    const stays = (name: string): void => void traces.staying.set(name, (traces.staying.get(name) ?? 0) + 1);

    const addQueued = ([broadcastNo, number]: RowKey): void => {
      const broadcastId = String(broadcastOf.get(broadcastNo!)?.['broadcast_id']);
      traces.queued.push({ broadcastId, number: Number(number) });
    };
    const addSession = (confNum: string, texts: readonly string[]): void => {
      traces.sessions.add(confNum);
      for (const callNum of texts.map(callNumIn)) if (callNum !== undefined) callNums.add(callNum);
    };

    /** A phone in a room is identified by its call, another participant by a number of the session. */
    const isNamedIn = ({ fate }: SearchedTable, texts: readonly string[]): boolean =>
      texts.some(
        (text) =>
          person.isIn(text) ||
          (fate === 'session entry' && (callIds.has(refIn(text)) || callNums.has(callNumIn(text)))),
      );

    const take = (name: string, table: SearchedTable, { key, about }: Found, texts: readonly string[]): void => {
      const [what, more] = about;
      const id = String(what);
      switch (table.fate) {
        case 'call':
          addCall(key[0]!);
          break;
        case 'recording':
          traces.recordings.push(id);
          break;
        case 'broadcast':
          traces.broadcasts.push({ broadcastId: id, isOver: more !== null });
          break;
        case 'room':
          traces.rooms.push({ projectId: id, roomId: String(more) });
          break;
        case 'report':
          stays(name);
          break;
        case 'delete or report':
          if (what === 1) stays(name);
          else addRow(name, key);
          break;
        default:
          if (table.fate === 'blank' && what !== null) addQueued(key);
          if (table.fate === 'session entry') addSession(id, texts);
          addRow(name, key);
      }
    };

    for (const [name, table] of Object.entries(TABLES)) {
      if (!isSearched(table)) continue;
      for await (const [found, texts] of rowsOf(name, table)) {
        const isNaming = isNamedIn(table, texts);
        if (table.fate === 'archive') {
          const [confNum, state] = found.about;
          traces.archives.push({ confNum: String(confNum), isOpen: state === 'open', isNaming });
        } else if (isNaming) take(name, table, found, texts);
      }
    }
    return traces;
  };
}

/** Participant number in an entry of a room; undefined without one. */
const callNumIn = (text: string): string | undefined => /"call_num":"([^"]+)"/.exec(text)?.[1];
const refIn = (text: string): string | undefined => /"(?:user_)?ref":"([^"]+)"/.exec(text)?.[1];
