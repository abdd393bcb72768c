/**
 * Exports calls of any number of projects page by page, for accounting. Neighbour: `list-calls.ts` reads a page.
 *
 * Invariant: a page is a few milliseconds of work, and the event loop runs between two pages, so that live calls are
 * not delayed. Pages are read only on demand.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { CallStore } from '../../runtime/call-store.ts';
import { type CallListQuery, type CallPage, listCalls } from './list-calls.ts';

const CALLS_AT_ONCE = 200;

/** Yields at most `limit` calls in all; each page contains the cursor of the next one. `cursor` must be valid. */
export async function* exportCalls(
  { limit, cursor, ...query }: CallListQuery,
  callStore: Pick<CallStore, 'list'>,
): AsyncGenerator<CallPage> {
  let left = limit;
  for (let after = cursor; ; await turn()) {
    const atOnce = { limit: Math.min(left, CALLS_AT_ONCE), mostLookedAt: CALLS_AT_ONCE };
    const asked = { ...query, ...atOnce, ...(after === undefined ? {} : { cursor: after }) };
    const page = (await listCalls(asked, callStore))!;
    yield page;
    left -= page.calls.length;
    after = page.next;
    if (after === undefined || left === 0) return;
  }
}
