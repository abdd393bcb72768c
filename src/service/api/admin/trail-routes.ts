/** Admin routes for the audit log: administrator, time, method of sign-in and address of every change. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { foreignCursor, PAGE, type PageQuery, readQuery } from '../query-parameters.ts';
import { iso } from '../response-bodies.ts';
import { type AdminRoute, adminRoute, one } from './admin-route.ts';

const TRAIL = adminRoute('GET', '/trail', {
  summary: 'lists the audit trail of administrators, newest first',
  query: PAGE,
  response: one('change-list'),
  merged: { list: 'changes', by: 'at', order: 'falling' },
  errors: ['bad_request'],
  handle({ url }, { changes, now }) {
    const { limit, cursor } = readQuery<PageQuery>(url, PAGE);
    const found = changes.list(
      defined({ limit: limit + 1, beforeNo: cursor === undefined ? cursor : numberOf(cursor) }),
    );
    const page = found.slice(0, limit);
    return defined({
      changes: page.map(({ atMs, changeNo: _, ...change }) => defined<JsonObject>({ at: iso(atMs), ...change })),
      next: found.length > limit ? String(page.at(-1)!.changeNo) : undefined,
      timestamp: now(),
    });
  },
});

/** `/audit` is the earlier path, when the log only had changes of flows. */
export const TRAIL_ROUTES: readonly AdminRoute[] = [TRAIL, { ...TRAIL, path: '/admin/v1/audit', isAlias: true }];

function numberOf(cursor: string): number {
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  throw foreignCursor();
}
