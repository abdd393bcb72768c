/**
 * Reads journals from the data directory by call id, from the running service, or from files: the output of `trace
 * --json`, or one entry on each line.
 */
import { accessSync, constants } from 'node:fs';
import { systemClock } from '../base/core/clock.ts';
import { defined, isObject, type Json, type JsonObject, parseJson } from '../base/core/json.ts';
import type { DataConfig } from '../config.ts';
import type { CallRecord, JournalEntry } from '../service/runtime/journal.ts';
import { databaseFile } from '../service/store/sqlite/open-data-directory.ts';
import { openSqliteStore } from '../service/store/sqlite/store.ts';
import type { Store } from '../service/store/store.ts';
import { displayPath, isFile, readText } from './find-files.ts';
import type { ServiceClient } from './service-client.ts';
import { UsageError } from './terminal.ts';

const MAX_ENTRIES = 1_000_000;

export interface JournalInput {
  callId?: string;
  eventUrl?: string;
  /** Schedules of the admin API. Absent if there are none. */
  schedules?: Readonly<Record<string, Json>>;
  entries: JournalEntry[];
}

/** Journal of a call: from a file of this name if it exists, otherwise from the data directory. */
export async function readJournal(call: string, config: DataConfig): Promise<JournalInput> {
  if (isFile(call)) return parseJournal(readText(call), call);
  if (/[/\\]|\.jsonl?$/.test(call))
    throw new UsageError(`file not found: ${call}`, `the current directory is ${process.cwd()}`);
  return readCall(call, config, readOfCall);
}

/** Journal of a stored call. */
export async function readOfCall({ callId, eventUrl }: CallRecord, store: Store): Promise<JournalInput> {
  const kept = store.settings.list('schedule').map(({ key, value }) => [key, value] as const);
  const schedules = kept.length === 0 ? undefined : Object.fromEntries(kept);
  return defined<JournalInput>({ callId, eventUrl, schedules, entries: await store.calls.journal(callId) });
}

/** Runs `read` with the record of a call in the data directory. */
export const readCall = <Read>(
  call: string,
  config: DataConfig,
  read: (record: CallRecord, store: Store) => Read | Promise<Read>,
): Promise<Read> =>
  withStore(config, async (store) => {
    const record = await store.calls.call(call);
    const hint = 'use the voice_id of the call: see the log, its events, or the response to the dial-out';
    if (!record) throw new UsageError(`call ${call} not found in ${displayPath(config.dataDirectory)}`, hint);
    return read(record, store);
  });

/** Opens the data directory, whether or not the service is running. */
export async function withStore<Read>(config: DataConfig, read: (store: Store) => Read | Promise<Read>): Promise<Read> {
  const file = databaseFile(config);
  if (!mayRead(config.dataDirectory) || (isFile(file) && !mayRead(file))) {
    const hint = 'run it as the user of the service, or query the service: --url http://127.0.0.1:8080';
    throw new UsageError(`the data in ${displayPath(config.dataDirectory)} cannot be read: permission denied`, hint);
  }
  if (!isFile(file)) {
    const hint = 'start the service once, or set its configuration with --config';
    throw new UsageError(`there are no calls in ${displayPath(config.dataDirectory)}`, hint);
  }
  const store = openSqliteStore({ file, clock: systemClock });
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

/** Returns true for a missing file, which is another error. */
function mayRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}

/** Reads the journal of a call from the running service, in pages. */
export async function journalOfService(call: string, service: ServiceClient): Promise<JournalInput> {
  const path = `/admin/v1/calls/${encodeURIComponent(call)}/trace`;
  const all: Json[] = [];
  for (;;) {
    // Entries are numbered without gaps, so the count is the last number.
    const { entries, next, event_url: eventUrl } = await service.request('GET', `${path}?after=${all.length}`);
    const page = Array.isArray(entries) ? entries : [];
    for (const entry of page) all.push(entry);
    if (next !== undefined && page.length > 0 && all.length <= MAX_ENTRIES) continue;
    return checkJournal(defined({ callId: call, eventUrl, entries: all }), `the answer of ${service.url}`);
  }
}

/** Accepts `{entries: […]}`, `[…]`, or one JSON entry per line. */
function parseJournal(text: string, source: string): JournalInput {
  const whole = parseJson(text);
  // A single entry is the only line of a file, not a document.
  const isDocument = isObject(whole) && !('kind' in whole);
  return checkJournal(
    isDocument ? whole : { entries: Array.isArray(whole) ? whole : parseLines(text, source) },
    source,
  );
}

function checkJournal({ entries, callId, eventUrl }: JsonObject, source: string): JournalInput {
  const wrong = (why: string): UsageError =>
    new UsageError(`${source} is not a journal: ${why}`, 'create one with callweave trace --json CALL');
  if (!Array.isArray(entries) || entries.length === 0) throw wrong('it has no entries');
  if (entries.length > MAX_ENTRIES) throw wrong('it is too long');
  for (const [index, entry] of entries.entries()) {
    if (!isObject(entry)) throw wrong(`entry ${index + 1} is not an object`);
    const { seq, atMs, kind } = entry;
    if (typeof kind !== 'string' || typeof atMs !== 'number') throw wrong(`entry ${index + 1} has no kind or time`);
    if (seq !== index + 1) throw wrong(`entry ${index + 1} has the number ${String(seq)}`);
  }
  const journal = entries as unknown as JournalEntry[];
  if (journal[0]!.kind !== 'started') throw wrong('it does not start with `started`');
  return defined<JournalInput>({
    callId: typeof callId === 'string' ? callId : undefined,
    eventUrl: typeof eventUrl === 'string' ? eventUrl : undefined,
    entries: journal,
  });
}

function parseLines(text: string, source: string): Json[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const entry = parseJson(line);
    if (entry === undefined) throw new UsageError(`${source} is not a journal: line ${index + 1} is not valid JSON`);
    return entry;
  });
}
