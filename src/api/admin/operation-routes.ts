/** Admin routes for operation: reload of the configuration, and drain. */
import type { DrainStatus } from '../../calls/settings/operation.ts';
import { defined, type JsonObject } from '../../core/json.ts';
import { iso } from '../response-bodies.ts';
import { type AdminRoute, adminRoute, one } from './admin-route.ts';
import { diagnosticsBody } from './flow-routes.ts';

export const OPERATION_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/drain', {
    summary: 'says whether new calls are taken, and what goes on',
    response: one('drain'),
    handle: (_request, { drain, now }) => drainBody(drain.status(), now()),
  }),
  adminRoute('POST', '/drain', {
    summary: 'takes no new calls and sessions from now on: SIP gets 503 with Retry-After; what goes on goes on',
    response: one('drain'),
    errors: ['in_use'],
    handle: (_request, { drain, now }) => drainBody(drain.begin(), now()),
  }),
  adminRoute('DELETE', '/drain', {
    summary: 'takes new calls again',
    response: one('drain'),
    errors: ['in_use'],
    handle: (_request, { drain, now }) => drainBody(drain.cancel(), now()),
  }),
  adminRoute('POST', '/reload', {
    summary: 'reads the configuration, its flows and its certificates again, for the next calls; all of it or nothing',
    response: one('reload'),
    errors: ['config_invalid', 'store_failing', 'overloaded'],
    async handle({ note }, { reload, now }) {
      const { changed, needsRestart, diagnostics } = await reload();
      note({ keys: [...changed] });
      return {
        changed: [...changed],
        needs_restart: [...needsRestart],
        diagnostics: diagnosticsBody(diagnostics),
        timestamp: now(),
      };
    },
  }),
];

export const drainBody = ({ state, sinceMs, liveCalls, liveSessions }: DrainStatus, timestamp: string): JsonObject =>
  defined({
    ...{ state, since: sinceMs === undefined ? undefined : iso(sinceMs) },
    ...{ live_calls: liveCalls, live_sessions: liveSessions, timestamp },
  });
