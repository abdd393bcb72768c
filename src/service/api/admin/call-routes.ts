/** Admin routes for calls of all projects: journals as JSON and as text. */
import { setImmediate as turn } from 'node:timers/promises';
import { escapeControls } from '../../../base/core/control-characters.ts';
import { defined, type Json } from '../../../base/core/json.ts';
import { maskUrl } from '../../../base/core/mask-url.ts';
import { findCall } from '../../calls/control/control-call.ts';
import { readJournal } from '../../calls/views/read-journal.ts';
import { createTracer, layOut } from '../../calls/views/trace-text.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { listedCallBody } from '../call-list-routes.ts';
import { readQuery, TRACE_QUERY } from '../query-parameters.ts';
import { iso } from '../response-bodies.ts';
import { type AdminParts, type AdminRequest, type AdminRoute, adminRoute, one } from './admin-route.ts';

const ENTRIES_AT_ONCE = 500;

export const ADMIN_CALL_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/calls/{voice_id}/trace', {
    summary: 'returns the journal of a live or ended call of any project, in pages or as text',
    query: TRACE_QUERY,
    response: one('call-trace'),
    errors: ['bad_request', 'unknown_call'],
    async handle({ params, url, res }, parts) {
      const query = readQuery<{ after: number; limit: number; format: string }>(url, TRACE_QUERY);
      const record = await findCall(undefined, params.voice_id, parts.calls);
      if (query.format === 'text') return sendText(record, res, parts);
      const { entries, next } = await pageOf(record, query.after, query.limit, parts);
      return defined({
        app_id: record.projectId,
        call: listedCallBody(record, parts),
        event_url: record.eventUrl && maskUrl(record.eventUrl),
        // Journal entries are stored as JSON.
        entries: entries as unknown as Json,
        next,
        timestamp: parts.now(),
      });
    },
  }),
];

const pageOf = ({ projectId, callId }: CallRecord, afterSeq: number, limit: number, { calls }: AdminParts) =>
  readJournal(projectId, callId, { afterSeq, limit }, calls);

/** Reads page by page, so that a long journal does not delay calls. */
async function sendText(record: CallRecord, res: AdminRequest['res'], parts: AdminParts): Promise<undefined> {
  const trace = createTracer({ startedMs: record.startedMs });
  res.type('text/plain').write(`${iso(record.startedMs)}\n`);
  for (let after: number | undefined = 0; after !== undefined && !res.destroyed; await turn()) {
    const { entries, next } = await pageOf(record, after, ENTRIES_AT_ONCE, parts);
    const lines = trace(entries).map(layOut);
    res.write(lines.map(({ time, what }) => `${escapeControls(`${time}  ${what}`)}\n`).join(''));
    after = next;
  }
  res.end();
}
