/** Journals come from the data directory by a call's id, or from files: what `trace --json` wrote, or one entry a line. */
import type { Config } from '../config.ts';
import { systemClock } from '../core/clock.ts';
import { defined, isObject, type Json, parseJson } from '../core/json.ts';
import type { JournalEntry } from '../runtime/journal.ts';
import { databaseFile } from '../store/sqlite/open-data-directory.ts';
import { openSqliteStore } from '../store/sqlite/store.ts';
import { displayPath, isFile, readText } from './find-files.ts';
import { UsageError } from './terminal.ts';

const MOST_ENTRIES = 1_000_000;

export interface ReadJournal {
  callId?: string;
  eventUrl?: string;
  /** Those of the admin API with those of the configuration; absent: there are no others than those. */
  schedules?: Readonly<Record<string, Json>>;
  entries: JournalEntry[];
}

/** The journal of a call: of a file when there is one of this name, else of the service's data. */
export async function readJournal(call: string, config: Config): Promise<ReadJournal> {
  if (isFile(call)) return parseJournal(readText(call), call);
  if (/[/\\]|\.jsonl?$/.test(call)) throw new UsageError(`there is no file ${call}`, `looked from ${process.cwd()}`);
  const file = databaseFile(config);
  if (!isFile(file)) {
    const hint = 'start the service once, or name its configuration with --config';
    throw new UsageError(`there are no calls in ${displayPath(config.dataDirectory)}`, hint);
  }
  const store = openSqliteStore({ file, clock: systemClock });
  try {
    const record = store.calls.call(call);
    const hint = 'a call is named by its voice_id: see the log, its events, or the answer to the dial-out';
    if (!record) throw new UsageError(`there is no call ${call} in ${displayPath(config.dataDirectory)}`, hint);
    const { callId, eventUrl } = record;
    const kept = store.settings.list('schedule').map(({ key, value }) => [key, value] as const);
    const schedules = kept.length === 0 ? undefined : { ...Object.fromEntries(kept), ...config.schedules };
    return defined<ReadJournal>({ callId, eventUrl, schedules, entries: store.calls.journal(callId) });
  } finally {
    await store.close();
  }
}

/** Takes `{entries: […]}`, `[…]`, or one JSON entry per line. */
function parseJournal(text: string, source: string): ReadJournal {
  const whole = parseJson(text);
  // One entry is a line of its own, not a document.
  const { entries, callId, eventUrl } =
    isObject(whole) && !('kind' in whole)
      ? whole
      : { entries: Array.isArray(whole) ? whole : parseLines(text, source) };
  const wrong = (why: string): UsageError =>
    new UsageError(`${source} is not a journal: ${why}`, 'callweave trace --json CALL writes one');
  if (!Array.isArray(entries) || entries.length === 0) throw wrong('it has no entries');
  if (entries.length > MOST_ENTRIES) throw wrong('it is too long');
  for (const [index, entry] of entries.entries()) {
    if (!isObject(entry)) throw wrong(`entry ${index + 1} is not an object`);
    const { seq, atMs, kind } = entry;
    if (typeof kind !== 'string' || typeof atMs !== 'number') throw wrong(`entry ${index + 1} has no kind or time`);
    if (seq !== index + 1) throw wrong(`entry ${index + 1} has the number ${String(seq)}`);
  }
  const journal = entries as unknown as JournalEntry[];
  if (journal[0]!.kind !== 'started') throw wrong('it does not begin with `started`');
  return defined<ReadJournal>({
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
