/** Lists call records (CDRs) in pages, newest first. */
import { defined } from '../../../base/core/json.ts';
import { normalizeNumber } from '../../../base/core/phone-number.ts';
import type { CallCursor, CallStore } from '../../runtime/call-store.ts';
import type { CallRecord, CallState, Direction } from '../../runtime/journal.ts';

export interface CallFilter {
  direction?: Direction;
  /** `live`: any state before the end of the call. */
  state?: CallState | 'live';
  from?: string;
  to?: string;
  /** Number of the caller, the callee or the far end of a bridge, in any spelling. */
  number?: string;
  flow?: string;
  ownerRef?: string;
  broadcastId?: string;
  /** Range of start times, both ends included. */
  startedFromMs?: number;
  startedToMs?: number;
}

export interface CallPage {
  calls: CallRecord[];
  /** Cursor of the next page; absent on the last page. */
  next?: string;
}

export interface CallListQuery {
  /** Default: all projects. */
  projectId?: string;
  filter: CallFilter;
  limit: number;
  /** `next` of a previous page. */
  cursor?: string;
  mostLookedAt?: number;
}

/** Maximum calls that one request may read: a selective filter gives short pages, not slow requests. */
const MAX_LOOKED_AT = 5000;
const LOOKED_AT_ONCE = 500;

/** `cursor` is the `next` of a previous page. Undefined if it is invalid. */
export async function listCalls(
  query: CallListQuery,
  callStore: Pick<CallStore, 'list'>,
): Promise<CallPage | undefined> {
  const { projectId, filter, limit, mostLookedAt = MAX_LOOKED_AT } = query;
  let after = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
  if (query.cursor !== undefined && !after) return undefined;
  const calls: CallRecord[] = [];
  const isLive = filter.state === 'live';
  const fromMs = filter.startedFromMs ?? 0;
  const toMs = filter.startedToMs ?? Number.MAX_SAFE_INTEGER - 1;
  const atOnce = Math.min(LOOKED_AT_ONCE, mostLookedAt);
  for (let looked = 0; looked < mostLookedAt; ) {
    const page = await callStore.list(defined({ projectId, fromMs, toMs, isLive, limit: atOnce, after }));
    for (const { cursor, record } of page) {
      // One more call than requested exists: the page ends before it.
      if (calls.length === limit) return { calls, next: encodeCursor(after!) };
      after = cursor;
      if (fits(record, filter)) calls.push(record);
    }
    if (page.length < atOnce) return { calls };
    looked += page.length;
  }
  return { calls, next: encodeCursor(after!) };
}

const EQUAL = ['direction', 'from', 'to', 'flow', 'ownerRef', 'broadcastId'] as const;

const fits = (record: CallRecord, filter: CallFilter): boolean =>
  (filter.state === 'live'
    ? record.endedMs === undefined
    : filter.state === undefined || record.state === filter.state) &&
  EQUAL.every((key) => filter[key] === undefined || record[key] === filter[key]) &&
  (filter.number === undefined || hasNumber(record, normalizeNumber(filter.number)));

const hasNumber = ({ from, to, bridges = [] }: CallRecord, number: string): boolean =>
  [from, to, ...bridges.map((bridge) => bridge.to)].some((one) => normalizeNumber(one) === number);

export const isCallCursor = (cursor: string): boolean => decodeCursor(cursor) !== undefined;

const encodeCursor = ({ startedMs, number }: CallCursor): string =>
  Buffer.from(`${startedMs}.${number}`, 'latin1').toString('base64url');

function decodeCursor(cursor: string): CallCursor | undefined {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  return match ? { startedMs: Number(match[1]), number: Number(match[2]) } : undefined;
}
