/**
 * All tables of the database, with the handling of each when a person's data is erased. A test compares the list with
 * the schema, so that a new table cannot be omitted. `people-calls.ts` deletes the data of calls.
 */

export type PeopleTable =
  /** The table contains no personal data, or is kept although it does. */
  { nobody: string } | { kept: string } | SearchedTable;

export interface SearchedTable {
  /** Primary key, by which it is read. */
  key: readonly [string, ...string[]];
  /** Columns that may contain names of people. */
  texts: readonly [string, ...string[]];
  /** Columns that identify the subject of a row. */
  about?: readonly string[];
  /** Handling of a row that names the person; `report`: a setting, which remains. */
  fate: Fate;
}

/** Handling of a row. For `call` to `archive`, the modules that own the subject of the row delete it. */
export type Fate =
  | 'call'
  | 'recording'
  | 'broadcast'
  | 'room'
  | 'archive'
  | 'delete'
  /** Deleted; it may identify people by their call, or by a number of the session. */
  | 'session entry'
  | 'report'
  /** The name is overwritten. */
  | 'overwrite'
  /** A number of a broadcast: its result remains, without the person. */
  | 'blank'
  /** Texts of flows: live versions remain. */
  | 'delete or report';

export const TABLES: Readonly<Record<string, PeopleTable>> = {
  // Searched in this order, because a match in one table can identify more rows of the next.
  calls: { key: ['call_no'], texts: ['record', 'checkpoint'], about: ['call_id', 'ended_ms'], fate: 'call' },
  journal: { key: ['call_no', 'first_seq'], texts: ['entries'], fate: 'call' },
  // `people-calls.ts` does not delete it explicitly: it is deleted with the row of its call.
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
  flow_version_counts: { nobody: 'the latest version number of each flow' },
  queue_callbacks: { key: ['callback_no'], texts: ['callback'], fate: 'delete' },
  canaries: { key: ['rowid'], texts: ['name', 'canary'], fate: 'report' },
  changes: { key: ['change_no'], texts: ['who', 'remote', 'what', 'keys'], fate: 'overwrite' },
  // Comments and drafts of the studio are deleted; the other kinds are settings.
  settings: {
    ...{ key: ['setting_no'], texts: ['key', 'value'] },
    about: ["kind NOT IN ('comment', 'draft', 'draft_text')"],
    fate: 'delete or report',
  },
  projects: { key: ['project_no'], texts: ['name', 'video_webhook'], fate: 'report' },
  migrations: { nobody: 'names of files of the program' },
};

export const isSearched = (table: PeopleTable): table is SearchedTable => 'key' in table;
