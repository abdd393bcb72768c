/** Export of call records (CDR) of all projects: a page as JSON, or all of them as CSV or NDJSON. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { snakeCased } from '../../../base/core/key-case.ts';
import { exportCalls } from '../../calls/views/export-calls.ts';
import { type CallFilter, type CallListQuery, isCallCursor } from '../../calls/views/list-calls.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { type AskedCalls, filterOf, listedCallBody } from '../call-list-routes.ts';
import { callTableHeader, callTableRow } from '../call-table.ts';
import { CALL_EXPORT, foreignCursor, readQuery } from '../query-parameters.ts';
import { type AdminParts, type AdminRoute, adminRoute, one } from './admin-route.ts';

interface CallExportQuery extends AskedCalls {
  since?: number;
  until?: number;
  project?: string;
  limit?: number;
  cursor?: string;
  format?: 'json' | keyof typeof LINES;
}

const PAGE = { usual: 100, most: 500 };

const LINES = {
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    first: `${callTableHeader()}\r\n`,
    lineOf: (call: JsonObject) => `${callTableRow(call)}\r\n`,
  },
  ndjson: {
    mediaType: 'application/x-ndjson',
    first: '',
    lineOf: (call: JsonObject) => `${JSON.stringify(call)}\n`,
  },
};

export const EXPORT_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/calls', {
    summary:
      'lists the calls of all projects, newest first, in pages; `Accept: text/csv` or `application/x-ndjson` streams all of them',
    query: CALL_EXPORT,
    response: one('call-export'),
    errors: ['bad_request'],
    async handle({ url, header, res }, parts) {
      const {
        format,
        limit,
        cursor,
        project: projectId,
        since,
        until,
        ...asked
      } = readQuery<CallExportQuery>(url, CALL_EXPORT);
      if (cursor !== undefined && !isCallCursor(cursor)) throw foreignCursor();
      const startedToMs = until === undefined ? undefined : until - 1;
      const began = defined<CallFilter>({ startedFromMs: since, startedToMs });
      const filter: CallFilter = { ...filterOf(asked), ...began };
      const query = defined<Omit<CallListQuery, 'limit'>>({ projectId, cursor, filter });
      const wanted = format ?? formatBy(header('accept'));
      if (wanted !== 'json')
        return sendLines(wanted, { ...query, limit: limit ?? Number.POSITIVE_INFINITY }, res, parts);
      const calls: CallRecord[] = [];
      let next: string | undefined;
      const most = Math.min(limit ?? PAGE.usual, PAGE.most);
      for await (const page of exportCalls({ ...query, limit: most }, parts.calls.callStore)) {
        calls.push(...page.calls);
        next = page.next;
        if (res.destroyed) break;
      }
      return defined({ calls: calls.map((call) => exportedBody(call, parts)), next, timestamp: parts.now() });
    },
  }),
];

/** Streams with backpressure, and stops when the client disconnects. */
async function sendLines(
  format: keyof typeof LINES,
  query: CallListQuery,
  res: Response,
  parts: AdminParts,
): Promise<undefined> {
  const { mediaType, first, lineOf } = LINES[format];
  async function* texts(): AsyncGenerator<string> {
    if (first !== '') yield first;
    for await (const { calls } of exportCalls(query, parts.calls.callStore))
      if (calls.length > 0) yield calls.map((call) => lineOf(exportedBody(call, parts))).join('');
  }
  res.set({ 'content-type': mediaType, 'content-disposition': `attachment; filename="calls.${format}"` });
  await pipeline(Readable.from(texts(), { highWaterMark: 1 }), res).catch((error: unknown) => {
    // The client has disconnected.
    if (!res.destroyed || res.errored) throw error;
  });
}

const formatBy = (accept = ''): 'json' | keyof typeof LINES =>
  /\btext\/csv\b/i.test(accept) ? 'csv' : /\bapplication\/(x-)?ndjson\b/i.test(accept) ? 'ndjson' : 'json';

/** Call record as projects see it, with its project and its route. */
function exportedBody(record: CallRecord, parts: AdminParts): JsonObject {
  const body = listedCallBody(record, parts);
  return {
    app_id: record.projectId,
    ...body,
    ...wayBody(record),
    ...(record.bridges && {
      bridges: record.bridges.map((bridge, index) => ({
        ...(body['bridges'] as JsonObject[])[index],
        ...wayBody(bridge),
      })),
    }),
  };
}

const wayBody = ({ sip }: Pick<CallRecord, 'sip'>): JsonObject =>
  sip ? snakeCased(sip, ['route', 'gateway', 'remote', 'userAgent']) : {};
