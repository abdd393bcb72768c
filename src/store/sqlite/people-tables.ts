/**
 * Every table of the database, and what becomes of it when a person is forgotten; a test compares the list with the schema,
 * so that a new table cannot be left out. What is deleted with a call is in `people-calls.ts`.
 */

export type PeopleTable =
  /** It holds nobody, or is kept although it does. */
  { nobody: string } | { kept: string } | SearchedTable;

export interface SearchedTable {
  /** Its primary key, by which it is read. */
  key: readonly [string, ...string[]];
  /** Columns in which people may be named. */
  texts: readonly [string, ...string[]];
  /** Columns that say what a row is about. */
  about?: readonly string[];
  /** What becomes of a row that names them: `report`: it is a setting, and stays. */
  fate: Fate;
}

/** Of a row. `call` to `archive`: what the row is about is deleted, by those who know how. */
export type Fate =
  | 'call'
  | 'recording'
  | 'broadcast'
  | 'room'
  | 'archive'
  | 'delete'
  /** Deleted; it may name people by their call, or by a number of the session. */
  | 'session entry'
  | 'report'
  /** Their name is overwritten in it. */
  | 'overwrite'
  /** A number of a broadcast: its result stays, without the person. */
  | 'blank'
  /** Texts of flows: those in force stay. */
  | 'delete or report';

export const TABLES: Readonly<Record<string, PeopleTable>> = {
  // In this order they are searched: what is found in one may say more about the next.
  calls: { key: ['call_no'], texts: ['record', 'checkpoint'], about: ['call_id', 'ended_ms'], fate: 'call' },
  journal: { key: ['call_no', 'first_seq'], texts: ['entries'], fate: 'call' },
  // Without a line of its own in `people-calls.ts`: it goes with the row of its call.
  sip_traces: { key: ['call_no', 'part_no'], texts: ['messages'], fate: 'call' },
  recordings: { key: ['recording_no'], texts: ['name', 'file'], about: ['recording_id'], fate: 'recording' },
  deliveries: { key: ['delivery_no'], texts: ['order_key', 'url', 'body'], fate: 'delete' },
  dead_deliveries: { key: ['dead_no'], texts: ['order_key', 'url', 'body'], fate: 'delete' },
  disabled_urls: { key: ['project_id', 'url'], texts: ['url'], fate: 'delete' },
  receipts: { key: ['rowid'], texts: ['key', 'body'], fate: 'delete' },
  broadcasts: {
    ...{ key: ['broadcast_no'], texts: ['ordered', 'error'], about: ['broadcast_id', 'ended_ms'] },
    fate: 'broadcast',
  },
  broadcast_numbers: {
    ...{ key: ['broadcast_no', 'number'], texts: ['phone', 'dialled', 'input', 'output'], about: ['stage'] },
    fate: 'blank',
  },
  broadcast_tallies: { nobody: 'counts of results' },
  do_not_call: { kept: 'who must not be called stays known, or they would be called again' },
  room_journal: { key: ['entry_no'], texts: ['body'], about: ['conf_num'], fate: 'session entry' },
  call_details: { key: ['detail_no'], texts: ['body'], about: ['conf_num'], fate: 'session entry' },
  archives: { key: ['archive_no'], texts: ['body'], about: ['conf_num', 'state'], fate: 'archive' },
  rooms: { key: ['room_no'], texts: ['room'], about: ['project_id', 'room_id'], fate: 'room' },
  used_tokens: { nobody: 'ids of tokens' },
  flow_versions: {
    ...{ key: ['rowid'], texts: ['name', 'text', 'author'] },
    about: ['in_force OR hash IN (SELECT version FROM canaries WHERE is_on = 1)'],
    fate: 'delete or report',
  },
  queue_callbacks: { key: ['callback_no'], texts: ['callback'], fate: 'delete' },
  canaries: { key: ['rowid'], texts: ['name', 'canary'], fate: 'report' },
  changes: { key: ['change_no'], texts: ['who', 'remote', 'what', 'keys'], fate: 'overwrite' },
  settings: { key: ['setting_no'], texts: ['key', 'value'], fate: 'report' },
  projects: { key: ['project_no'], texts: ['name', 'video_webhook'], fate: 'report' },
  migrations: { nobody: 'names of files of the program' },
};

export const isSearched = (table: PeopleTable): table is SearchedTable => 'key' in table;
