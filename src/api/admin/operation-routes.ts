/** The service while it runs: its configuration read again. */
import { type AdminRoute, adminRoute, one } from './admin-route.ts';
import { diagnosticsBody } from './flow-routes.ts';

export const OPERATION_ROUTES: readonly AdminRoute[] = [
  adminRoute('POST', '/reload', {
    summary: 'reads the configuration, its flows and its certificates again, for the next calls; all of it or nothing',
    response: one('reload'),
    errors: ['config_invalid', 'store_failing', 'overloaded'],
    async handle(_request, { reload, now }) {
      const { changed, needsRestart, diagnostics } = await reload();
      return {
        changed: [...changed],
        needs_restart: [...needsRestart],
        diagnostics: diagnosticsBody(diagnostics),
        timestamp: now(),
      };
    },
  }),
];
