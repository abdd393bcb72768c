/** Admin routes for operation: reload of the configuration, and drain. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { DrainStatus } from '../../calls/settings/operation.ts';
import { iso } from '../response-bodies.ts';
import { type AdminRoute, adminRoute, one } from './admin-route.ts';
import { diagnosticsBody } from './flow-routes.ts';

export const OPERATION_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/drain', {
    summary: 'returns the drain state, with the number of active calls and sessions',
    response: one('drain'),
    handle: (_request, { drain, now }) => drainBody(drain.status(), now()),
  }),
  adminRoute('POST', '/drain', {
    summary: 'drains the service: new calls and sessions are refused (SIP: 503 with Retry-After), active ones continue',
    response: one('drain'),
    errors: ['in_use'],
    handle: (_request, { drain, now }) => drainBody(drain.begin(), now()),
  }),
  adminRoute('DELETE', '/drain', {
    summary: 'ends the drain of the service',
    response: one('drain'),
    errors: ['in_use'],
    handle: (_request, { drain, now }) => drainBody(drain.cancel(), now()),
  }),
  adminRoute('POST', '/reload', {
    summary: 'reloads the configuration, flows and certificates for the next calls; on an error, nothing changes',
    response: one('reload'),
    errors: ['config_invalid', 'store_failing', 'overloaded'],
    async handle({ audit }, { reload, now }) {
      const { changed, needsRestart, diagnostics } = await reload();
      audit({ keys: [...changed] });
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
