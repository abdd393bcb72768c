/** The voice API, `/voice/v1/…`: the routes of each resource, and what they have in common. */
import { type RequestHandler, Router } from 'express';
import { callListRoutes } from './call-list-routes.ts';
import { callRoutes } from './call-routes.ts';
import { conferenceRoutes } from './conference-routes.ts';
import { Problem } from './problems.ts';
import { recordingRoutes } from './recording-routes.ts';
import { roomRoutes } from './room-routes.ts';
import { describeCall, refuseMethod, type VoiceParts } from './route-parts.ts';

export function voiceRoutes(parts: VoiceParts): Router {
  const router = Router();
  // Both spellings of the collection are one.
  router.use((req, _res, next) => {
    req.url = req.url.replace(/^\/calls(?=[/?]|$)/i, '/call');
    next();
  });
  for (const routes of [callListRoutes, callRoutes, recordingRoutes, conferenceRoutes, roomRoutes]) {
    const resource = routes(parts);
    resource.param('voice_id', (_req, res, next, voiceId: string) => {
      describeCall(res, voiceId, parts);
      next();
    });
    router.use(resource);
  }
  for (const [path, methods] of LATER) {
    router.route(path).all((req, _res, next) => (methods.includes(req.method) ? next() : refuseMethod(methods)), later);
  }
  return router;
}

/** Documented routes that this version does not have. */
const LATER: readonly [path: string, methods: string[]][] = [
  ['/broadcast', ['POST']],
  ['/broadcast/:app_instance', ['GET', 'DELETE', 'POST']],
  ['/broadcast/:app_instance/play', ['PUT']],
  ['/broadcast/:app_instance/call/:voice_id', ['DELETE']],
  ['/broadcast/:app_instance/call/:voice_id/play', ['PUT']],
  ['/broadcast/:app_instance/call/:voice_id/connect', ['PUT']],
];

const later: RequestHandler = () => {
  throw new Problem('not_available', 'this route is not part of this version');
};
