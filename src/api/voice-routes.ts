/** The voice API, `/voice/v1/…`: the routes of each resource, and what they have in common. */
import { Router } from 'express';
import { broadcastRoutes } from './broadcast-routes.ts';
import { callListRoutes } from './call-list-routes.ts';
import { callRoutes } from './call-routes.ts';
import { conferenceRoutes } from './conference-routes.ts';
import { doNotCallRoutes } from './do-not-call-routes.ts';
import { recordingRoutes } from './recording-routes.ts';
import { roomRoutes } from './room-routes.ts';
import { addCallToErrors, type VoiceParts } from './route-parts.ts';

const ROUTES = [
  callListRoutes,
  callRoutes,
  recordingRoutes,
  conferenceRoutes,
  roomRoutes,
  broadcastRoutes,
  doNotCallRoutes,
];

export function voiceRoutes(parts: VoiceParts): Router {
  const router = Router();
  // Both spellings of the collection are one.
  router.use((req, _res, next) => {
    req.url = req.url.replace(/^\/calls(?=[/?]|$)/i, '/call');
    next();
  });
  for (const routes of ROUTES) {
    const resource = routes(parts);
    resource.param('voice_id', (_req, res, next, voiceId: string) => {
      addCallToErrors(res, voiceId, parts);
      next();
    });
    router.use(resource);
  }
  return router;
}
