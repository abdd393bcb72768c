/** The report of a broadcast: its numbers with the state of their calls, page by page, and counts. */
import { defined } from '../../core/json.ts';
import type { CallView } from '../../runtime/call-run.ts';
import { CallError } from '../call-error.ts';
import { normalizeNumber } from '../numbers.ts';
import type { NumberRow, NumberState } from './broadcast.ts';
import type { BroadcastStore, ReportQuery } from './broadcast-store.ts';
import type { BroadcastCounts, NumberPage, NumberQuery, NumberStatus } from './broadcasts.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

export interface ReportParts {
  store: Pick<BroadcastStore, 'counts' | 'report'>;
  supervisor: { view(callId: string): Pick<CallView, 'record'> | undefined };
}

/** The stored states that may have this status. */
const STATES: Readonly<Record<NumberStatus, readonly NumberState[]>> = {
  queued: ['queued', 'calling'],
  ringing: ['calling'],
  connected: ['calling'],
  disconnected: ['done'],
};
/** Rows read at once; most of them match. */
const MOST_AT_ONCE = 10_000;

export async function numbersOf(broadcastId: string, query: NumberQuery, parts: ReportParts): Promise<NumberPage> {
  const { limit, state, code, reason, phone } = query;
  let after = query.cursor === undefined ? undefined : decodeNumberCursor(query.cursor);
  if (limit === 0) return { rows: [] };
  const filter: Omit<ReportQuery, 'after' | 'limit'> = defined({
    broadcastId,
    states: state === undefined ? undefined : STATES[state],
    code,
    reason,
    phone: phone === undefined ? undefined : normalizeNumber(phone),
  });
  const rows: NumberPage['rows'] = [];
  for (;;) {
    const wanted = Math.min(MOST_AT_ONCE, limit - rows.length + 1);
    const found = await parts.store.report(defined({ ...filter, after, limit: wanted }));
    for (const row of found) {
      const status = statusOf(row, parts);
      if (state !== undefined && status !== state) continue;
      // There is one more than was asked for: the page ends before it.
      if (rows.length === limit) return { rows, next: encodeCursor(String(rows.at(-1)!.number)) };
      rows.push({ ...row, ...progressOf(row, status, parts), status });
    }
    if (found.length < wanted) return { rows };
    after = found.at(-1)!.number;
  }
}

/** `callIds`: the live calls. */
export async function countsOf(
  broadcastId: string,
  callIds: Iterable<string>,
  parts: ReportParts,
): Promise<BroadcastCounts> {
  const counts = await parts.store.counts(broadcastId);
  let ringing = 0;
  let connected = 0;
  for (const callId of callIds) {
    const status = callStatus(callId, parts);
    if (status === 'ringing') ringing++;
    else if (status === 'connected') connected++;
  }
  return { ...counts, ringing, connected };
}

function statusOf({ state, callId }: NumberRow, parts: ReportParts): NumberStatus {
  if (state === 'done') return 'disconnected';
  return state === 'calling' && callId !== undefined ? callStatus(callId, parts) : 'queued';
}

/** What is known of a live call so far; its row is written when it ends. */
function progressOf({ callId }: NumberRow, status: NumberStatus, { supervisor }: ReportParts): Partial<NumberRow> {
  const isCalled = status === 'ringing' || status === 'connected';
  const record = isCalled && callId !== undefined ? supervisor.view(callId)?.record : undefined;
  if (!record) return {};
  const { ringingMs, answeredMs, answeredBy } = record;
  const changedMs = answeredMs ?? ringingMs;
  return defined({ changedMs, answeredMs, answeredBy });
}

function callStatus(callId: string, { supervisor }: ReportParts): NumberStatus {
  const record = supervisor.view(callId)?.record;
  if (record?.answeredMs !== undefined) return 'connected';
  return record?.ringingMs === undefined ? 'queued' : 'ringing';
}

function decodeNumberCursor(cursor: string): number {
  const place = decodeCursor(cursor);
  if (!/^\d{1,9}$/.test(place)) throw new CallError('cursor_invalid', 'this is not the cursor of a page');
  return Number(place);
}
