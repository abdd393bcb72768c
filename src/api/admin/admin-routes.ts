/**
 * The admin API, `/admin/v1/…`: what is provisioned, read and changed. Neighbours: `calls/settings/` keeps it; the list of
 * the routes is `route-table.ts`.
 *
 * Invariants
 *  A1 nothing of a body is read before the token is;
 *  A2 what the configuration file says is shown, and not changed.
 */
import express, { type Request, type RequestHandler, Router } from 'express';
import type { ProvisionParts } from '../../calls/settings/provision.ts';
import type { WebhookDispatcher } from '../../observers/webhooks/dispatcher.ts';
import type { Outbox } from '../../observers/webhooks/outbox.ts';
import { jsonBody, mediaType } from '../json-body.ts';
import { errorContextOf } from '../request-context.ts';
import type { AdminAuth } from './admin-auth.ts';
import { projectRoutes } from './project-routes.ts';
import { promptRoutes } from './prompt-routes.ts';
import { settingRoutes } from './setting-routes.ts';
import { receiverRoutes } from './webhook-receiver-routes.ts';

export interface AdminParts extends ProvisionParts {
  now(): string;
  outbox: Pick<Outbox, 'deadLetters' | 'findDeadLetter' | 'disabledUrls' | 'enableUrl'>;
  deliveries: Pick<WebhookDispatcher, 'requeue' | 'requeueAll' | 'receivers'>;
  urlProblem(url: string): string | undefined;
}

export const AUDIO_TYPES = ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/mpeg', 'audio/mp3'];
const MOST_BODY_BYTES = 1_048_576;
const MOST_SOUND_BYTES = 20 * 2 ** 20;

export function adminRoutes(parts: AdminParts, auth: AdminAuth): Router {
  const router = Router();
  router.use((req, _res, next) => {
    auth.check(req);
    next();
  });
  const isSound = (req: Request): boolean =>
    req.method === 'PUT' && /^\/prompts\//i.test(req.path) && AUDIO_TYPES.includes(mediaType(req.headers));
  router.use(
    express.raw({ type: (req) => isSound(req as Request), limit: MOST_SOUND_BYTES }),
    jsonBody(MOST_BODY_BYTES, (req) => !isSound(req)),
  );
  for (const routes of [projectRoutes, receiverRoutes, settingRoutes, promptRoutes]) router.use(routes(parts));
  return router;
}

/** Errors speak of no call. */
export const asService: RequestHandler = (_req, res, next) => {
  errorContextOf(res).format = 'service';
  next();
};
