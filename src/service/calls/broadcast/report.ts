/** Report of a broadcast: pages of numbers with the state of their calls, and counts. */
import { defined } from '../../../base/core/json.ts';
import type { CallRecord } from '../../runtime/journal.ts';
import { CallError } from '../call-error.ts';
import { normalizeNumber } from '../numbers/numbers.ts';
import type { NumberRow, NumberState } from './broadcast.ts';
import type { BroadcastStore, ReportQuery } from './broadcast-store.ts';
import type { BroadcastCounts, NumberPage, NumberQuery, NumberStatus } from './broadcasts.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';

export interface ReportParts {
  store: Pick<BroadcastStore, 'counts' | 'report'>;
  /** A live call, on whichever node. */
  liveCall(callId: string): ReportedCall | undefined | Promise<ReportedCall | undefined>;
}

export type ReportedCall = Pick<CallRecord, 'ringingMs' | 'answeredMs' | 'answeredBy'>;

/** Stored states that may correspond to each status. */
const STATES: Readonly<Record<NumberStatus, readonly NumberState[]>> = {
  queued: ['queued', 'calling'],
  ringing: ['calling'],
  connected: ['calling'],
  disconnected: ['done'],
};
/** Maximum rows read at once; most of them match. */
const MAX_AT_ONCE = 10_000;

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
    const wanted = Math.min(MAX_AT_ONCE, limit - rows.length + 1);
    const found = await parts.store.report(defined({ ...filter, after, limit: wanted }));
    const calls = await Promise.all(found.map((row) => callOf(row, parts)));
    for (const [index, row] of found.entries()) {
      const call = calls[index];
      const status = statusOf(row, call);
      if (state !== undefined && status !== state) continue;
      // One more row than requested exists: the page ends before it.
      if (rows.length === limit) return { rows, next: encodeCursor(String(rows.at(-1)!.number)) };
      rows.push({ ...row, ...progressOf(call), status });
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
  const calls = await Promise.all([...callIds].map((callId) => parts.liveCall(callId)));
  const many = (wanted: NumberStatus): number => calls.filter((call) => callStatus(call) === wanted).length;
  return { ...counts, ringing: many('ringing'), connected: many('connected') };
}

const callOf = ({ state, callId }: NumberRow, { liveCall }: ReportParts) =>
  state === 'calling' && callId !== undefined ? liveCall(callId) : undefined;

const statusOf = ({ state }: NumberRow, call: ReportedCall | undefined): NumberStatus =>
  state === 'done' ? 'disconnected' : callStatus(call);

/** Progress of a live call; its row is written when it ends. */
function progressOf(call: ReportedCall | undefined): Partial<NumberRow> {
  if (!call) return {};
  const { ringingMs, answeredMs, answeredBy } = call;
  const changedMs = answeredMs ?? ringingMs;
  return changedMs === undefined ? {} : defined({ changedMs, answeredMs, answeredBy });
}

function callStatus(call: ReportedCall | undefined): NumberStatus {
  if (call?.answeredMs !== undefined) return 'connected';
  return call?.ringingMs === undefined ? 'queued' : 'ringing';
}

function decodeNumberCursor(cursor: string): number {
  const place = decodeCursor(cursor);
  if (!/^\d{1,9}$/.test(place)) throw new CallError('cursor_invalid', 'this is not the cursor of a page');
  return Number(place);
}
