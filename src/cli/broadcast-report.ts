/**
 * Loads the report of a broadcast page by page, for the final table, as one JSON document, or as CSV.
 */
import { onOneLine } from '../base/core/control-characters.ts';
import { csvLine } from '../base/core/csv.ts';
import { isObject, type JsonObject } from '../base/core/json.ts';
import { CallStatistics } from '../service/calls/broadcast/call-statistics.ts';
import { type BroadcastStatus, COUNTED } from './broadcast-progress.ts';
import { type ServiceClient, ServiceUnreachable } from './service-client.ts';

export interface ReportFilter {
  state?: string;
  code?: string;
  reason?: string;
  number?: string;
}

const PAGE = 10_000;
const MOMENTS = ['created', 'started', 'ended'];

export const broadcastPath = (id: string): string => `/voice/v1/broadcast/${encodeURIComponent(id)}`;

/** Status without the numbers. */
export async function fetchStatus(service: ServiceClient, id: string): Promise<BroadcastStatus> {
  return readStatus(await service.request('GET', `${broadcastPath(id)}?limit=0`), service);
}

/** Yields all pages as the API returns them. */
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

/** Validates the response, which may come from another program or version. */
export function readStatus(answer: JsonObject, service: ServiceClient): BroadcastStatus {
  const { app_instance: id, application_name: name, state, totals } = answer;
  if (typeof id !== 'string' || typeof state !== 'string' || !isObject(totals)) {
    throw new ServiceUnreachable(`the server at ${service.url} is not Callweave, or another version of it`);
  }
  const counted = COUNTED.map((key) => [key, typeof totals[key] === 'number' ? totals[key] : 0] as const);
  const reasons = isObject(totals['reasons']) ? totals['reasons'] : {};
  return {
    app_instance: id,
    application_name: typeof name === 'string' && name !== '' ? onOneLine(name) : 'broadcast',
    state,
    ...Object.fromEntries(MOMENTS.flatMap((key) => (typeof answer[key] === 'string' ? [[key, answer[key]]] : []))),
    totals: {
      ...(Object.fromEntries(counted) as Record<(typeof COUNTED)[number], number>),
      reasons: Object.fromEntries(
        Object.entries(reasons).flatMap(([reason, times]) =>
          typeof times === 'number' ? [[onOneLine(reason), times]] : [],
        ),
      ),
    },
  };
}

export async function callStatistics(all: AsyncIterable<JsonObject>): Promise<CallStatistics> {
  const statistics = new CallStatistics();
  for await (const page of all) {
    for (const { attempts, call_duration: seconds } of resultsIn(page)) statistics.add(attempts, seconds);
  }
  return statistics;
}

/** Merges all pages into the first one. */
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

const COLUMNS = [
  'dialed_number',
  'state',
  'code',
  'reason',
  'cause',
  'attempts',
  'answered_by',
  'connected',
  'call_duration',
  'voice_id',
  'output',
  'timestamp',
];

export const csvHeader = (): string => csvLine(COLUMNS);

/** Keys of `result` become columns. */
export function csvRow({ result, ...row }: JsonObject): string {
  const cells: JsonObject = { ...(isObject(result) ? result : {}), ...row };
  return csvLine(COLUMNS.map((name) => cells[name]));
}
