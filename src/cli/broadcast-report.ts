/**
 * The numbers of a broadcast, page by page: for the table at its end, as one document, and as a table for spreadsheets.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { type BroadcastStatus, type CallStatistics, MAX_COUNTED_ATTEMPTS } from './broadcast-progress.ts';
import type { ServiceClient } from './service-client.ts';
import { ServiceUnreachable } from './service-client.ts';
import { onOneLine } from './terminal.ts';

export interface ReportFilter {
  state?: string;
  code?: string;
  reason?: string;
  number?: string;
}

const PAGE = 10_000;

export const broadcastPath = (id: string): string => `/voice/v1/broadcast/${encodeURIComponent(id)}`;

/** How it stands, without its numbers. */
export async function fetchStatus(service: ServiceClient, id: string): Promise<BroadcastStatus> {
  return readStatus(await service.request('GET', `${broadcastPath(id)}?limit=0`), service);
}

/** Each page as the API gives it, from the first number to the last. */
export async function* fetchPages(
  service: ServiceClient,
  id: string,
  filter: ReportFilter = {},
): AsyncGenerator<JsonObject> {
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: String(PAGE), ...filter, ...(cursor === undefined ? {} : { cursor }) });
    const page = await service.request('GET', `${broadcastPath(id)}?${query}`);
    yield page;
    cursor = typeof page['next'] === 'string' ? page['next'] : undefined;
  } while (cursor !== undefined);
}

export const resultsIn = (page: JsonObject): JsonObject[] => {
  const { result_set: results } = page;
  return Array.isArray(results) ? results.filter(isObject) : [];
};

/** What is read of an answer is checked: what answers may be another program, or another version of ours. */
export function readStatus(answer: JsonObject, service: ServiceClient): BroadcastStatus {
  const { app_instance: id, application_name: name, state, totals } = answer;
  if (typeof id !== 'string' || typeof state !== 'string' || !isObject(totals)) {
    throw new ServiceUnreachable(`what answers at ${service.url} is not Callweave, or another version of it`);
  }
  const amount = (key: string): number => (typeof totals[key] === 'number' ? totals[key] : 0);
  const reasons = isObject(totals['reasons']) ? totals['reasons'] : {};
  return {
    app_instance: id,
    application_name: typeof name === 'string' && name !== '' ? onOneLine(name) : 'broadcast',
    state,
    ...textsIn(answer, ['created', 'started', 'ended']),
    totals: {
      numbers: amount('numbers'),
      queued: amount('queued'),
      ringing: amount('ringing'),
      connected: amount('connected'),
      disconnected: amount('disconnected'),
      success: amount('success'),
      failed: amount('failed'),
      attempts: amount('attempts'),
      reasons: Object.fromEntries(
        Object.entries(reasons).flatMap(([reason, times]) =>
          typeof times === 'number' ? [[onOneLine(reason), times]] : [],
        ),
      ),
    },
  };
}

function textsIn<Key extends string>(answer: JsonObject, keys: readonly Key[]): Partial<Record<Key, string>> {
  const found: Partial<Record<Key, string>> = {};
  for (const key of keys) {
    const value = answer[key];
    if (typeof value === 'string') found[key] = value;
  }
  return found;
}

export async function callStatistics(all: AsyncIterable<JsonObject>): Promise<CallStatistics> {
  const byAttempts = Array.from({ length: MAX_COUNTED_ATTEMPTS + 1 }, () => 0);
  const durations: number[] = [];
  for await (const page of all) {
    for (const { attempts, call_duration: seconds } of resultsIn(page)) {
      if (typeof attempts === 'number') byAttempts[Math.min(MAX_COUNTED_ATTEMPTS, attempts)]! += 1;
      if (typeof seconds === 'number') durations.push(seconds);
    }
  }
  return { byAttempts, durations };
}

/** The first page with the numbers of all. */
export async function wholeReport(all: AsyncIterable<JsonObject>): Promise<JsonObject> {
  let first: JsonObject | undefined;
  const results: JsonObject[] = [];
  for await (const page of all) {
    first ??= page;
    for (const result of resultsIn(page)) results.push(result);
  }
  const { next: _, result_set: __, ...facts } = first ?? {};
  return { ...facts, result_set: results };
}

const COLUMNS: readonly { name: string; of: (row: JsonObject) => Json | undefined }[] = [
  { name: 'dialed_number', of: (row) => row['dialed_number'] },
  { name: 'state', of: (row) => row['state'] },
  { name: 'code', of: (row) => resultOf(row)['code'] },
  { name: 'reason', of: (row) => resultOf(row)['reason'] },
  { name: 'cause', of: (row) => resultOf(row)['cause'] },
  { name: 'attempts', of: (row) => row['attempts'] },
  { name: 'answered_by', of: (row) => row['answered_by'] },
  { name: 'connected', of: (row) => row['connected'] },
  { name: 'call_duration', of: (row) => row['call_duration'] },
  { name: 'voice_id', of: (row) => row['voice_id'] },
  { name: 'output', of: (row) => row['output'] },
  { name: 'timestamp', of: (row) => row['timestamp'] },
];

const resultOf = ({ result }: JsonObject): JsonObject => (isObject(result) ? result : {});

export const csvHeader = (): string => csvLine(COLUMNS.map(({ name }) => name));

export const csvRow = (row: JsonObject): string => csvLine(COLUMNS.map(({ of }) => of(row)));

/**
 * RFC 4180 §2. Spreadsheets compute what looks like a formula, and what stands in `output` a caller may have said: such
 * a value is given the apostrophe that makes it a text; where people write in full width, so do spreadsheets. A number with its plus computes nothing.
 */
export const csvLine = (cells: readonly (Json | undefined)[]): string => cells.map(csvCell).join(',');

function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isFormula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
