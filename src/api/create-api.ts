/**
 * The HTTP API: what holds for every request (ids, sign-in, limits, errors), and below it the routes of each family.
 *
 * Invariants
 *  - every response is one JSON document with its length, errors included, but for files and for what a browser asks
 *     before it sends a request (`cross-origin.ts`);
 *  - nothing of a body is read before the sign-in;
 *  - a failure of our own is logged; the client sees only `internal server error`.
 */
import type { RequestListener } from 'node:http';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import type { Project } from '../calls/project-store.ts';
import type { Projects } from '../calls/projects.ts';
import type { Administrators } from '../calls/settings/administrators.ts';
import type { JsonObject } from '../core/json.ts';
import { sourceKey } from '../core/source-key.ts';
import type { Tracing } from '../observers/tracing/tracing.ts';
import type { Broadcasts } from '../rooms/broadcast/broadcasts.ts';
import { createAdminAuth, isReading, refuseChange } from './admin/admin-auth.ts';
import { type AdminParts, adminRouter } from './admin/admin-route.ts';
import { ADMIN_ROUTES } from './admin/admin-routes.ts';
import { ApiError, errorBody, toApiError } from './api-error.ts';
import { type BasicAuth, createBasicAuth } from './basic-auth.ts';
import type { ClientAddresses } from './client-address.ts';
import { corsHeaders, type Origins, refuseForeignOrigins } from './cross-origin.ts';
import { acceptForwarded, type Forwarding, forwardToOwner, searchElsewhere } from './forwarding.ts';
import { jsonBody, MAX_BODY_BYTES } from './json-body.ts';
import { openApi } from './openapi.ts';
import { passedAnswers } from './passed-answers.ts';
import { createRateLimiter, type RateLimit } from './rate-limit.ts';
import { errorContextOf, signedInProjectOf, stateOf } from './request-context.ts';
import { methodsOf, routeLabel, VIDEO_ROUTES, VOICE_ROUTES, withVoicePrefix } from './routes.ts';
import { sendJson } from './send-json.ts';
import { type ServiceStatus, serviceRouter } from './service-routes.ts';
import { type SessionParts, sessionRouter } from './studio/session-routes.ts';
import type { Principal } from './studio/sessions.ts';
import { traceRequest } from './trace-request.ts';
import { createTrail, type RecordChange } from './trail.ts';
import { answerStream } from './video/stream-route.ts';
import { VIDEO_BASES, type VideoParts, videoRouter } from './video/video-route.ts';
import { timestampOf, type VoiceParts, voiceRouter } from './voice-route.ts';

/** A hundred thousand numbers, with what the flow of each is given. */
const MAX_BROADCAST_BYTES = 10 * 2 ** 20;
/** Per project at once: what is read stays in memory until the broadcast is written. */
const MAX_LARGE_BODIES = 2;

export interface ApiParts extends VoiceParts, VideoParts {
  projects: Projects;
  rateLimit: RateLimit;
  administrators: Administrators;
  admin: AdminParts;
  /** Absent: there is no studio. `site` serves its page and files. */
  studio?: Pick<SessionParts, 'sessions' | 'redeem' | 'phonesReach'> & { site: RequestListener };
  /** What audiences watch, below `/room`. */
  streams: Pick<Broadcasts, 'read'>;
  /** Page and files of `/room`. */
  roomPage: RequestListener;
  /** Page and files of `/phone`. */
  phonePage: RequestListener;
  service: ServiceStatus;
  origins: Origins;
  addresses: Pick<ClientAddresses, 'isProxy'>;
  /** Absent: there are no other nodes. */
  forwarding?: Forwarding;
  /** The answer of a receiver of webhooks to an event of a call. */
  steer(callId: string, answer: JsonObject): void;
  /** Absent: there are no traces. */
  tracing?: Pick<Tracing, 'beginExchange'>;
  /** Nothing is changed by it; signing in to the studio is possible. */
  isQuarantined: boolean;
  /** Called for every request when it is over. */
  onResponse?(request: { route: string; method: string; status: number; durationMs: number }): void;
}

export function createApi(parts: ApiParts): Express {
  const { clock, log } = parts.calls;
  const app = express();
  app.disable('x-powered-by');
  // Files have one, JSON bodies do not.
  app.set('etag', () => undefined);
  app.set('query parser', false);
  // `req.ip` is the address of the client, as `client-address.ts` has it for web sockets.
  app.set('trust proxy', parts.addresses.isProxy);

  app.use(asOne(selectFamily));
  if (parts.tracing) app.use(traceRequest(parts.tracing));
  app.use(asOne(beginRequest(parts), setSecurityHeaders), corsHeaders(parts.origins), answerOptions(parts));
  const sessions = parts.studio?.sessions;
  const adminAuth = createAdminAuth(parts.administrators, clock, sessions);
  const recordChange = createTrail({ changes: parts.admin.changes, log, routeOf: routeLabel });
  const basicAuth = createBasicAuth(parts.projects);
  const refuseForeign = refuseForeignOrigins(parts.origins);
  const guard = parts.isQuarantined ? [refuseForeign, refuseChanges] : [refuseForeign];
  const signIn = authenticate(basicAuth, parts, recordChange);
  const { forwarding } = parts;
  const forward = forwarding ? [forwardToOwner(forwarding)] : [];
  if (forwarding) app.use(asOne(acceptForwarded(forwarding)), passedAnswers(parts.steer));
  // The busiest ones first, each as one router: its path is looked at once, and those of the others not at all.
  const voice = Router().use(asOne(selectErrorFormat, ...guard), signIn, ...forward, voiceBody());
  app.use('/voice/v1', voice.use(voiceRouter(VOICE_ROUTES, parts)));
  const video = Router().use(asOne(videoErrors, ...guard), signIn, ...forward, jsonBody(MAX_BODY_BYTES));
  app.use(VIDEO_BASES, video.use(videoRouter(VIDEO_ROUTES, parts)));
  app.use(serviceRouter(parts.service, adminAuth, () => openApi(parts.service.version)));
  app.use('/studio', asOne(serviceErrors, refuseForeign));
  if (parts.studio) {
    const { projects, isQuarantined } = parts;
    const { site, ...ofSessions } = parts.studio;
    // Without sessions: this is where they begin. Wrong tokens are counted separately.
    const tokenAuth = createAdminAuth(parts.administrators, clock);
    app.use(sessionRouter({ ...ofSessions, adminAuth: tokenAuth, basicAuth, projects, isQuarantined }));
    app.use('/studio', (req, res) => site(req, res));
    app.use(leadToStudio);
  }
  app.use('/room', asOne(serviceErrors), answerStream(parts.streams), (req, res) => parts.roomPage(req, res));
  app.use('/phone', (req, res) => parts.phonePage(req, res));
  app.use('/admin', asOne(serviceErrors, ...guard));
  app.use('/admin/v1', adminRouter(ADMIN_ROUTES, parts.admin, { auth: adminAuth, recordChange, clock, forward }));
  app.use((req) => {
    throw new ApiError('unknown_route', `there is no ${req.method} ${req.path.slice(0, 200)}`);
  });

  const answerError: ErrorRequestHandler = (thrown, _req, res, _next) => {
    const error = toApiError(thrown);
    if (error.code === 'internal') log.error('api.failed', { requestId: stateOf(res).requestId, error: thrown });
    // A response that has begun cannot be withdrawn: the connection is closed, so that a part is not taken for the whole.
    if (res.headersSent) return void res.destroy();
    if (error.code === 'too_large') res.set('connection', 'close');
    res.set(error.headers);
    sendJson(res, error.status, errorBody(error, errorContextOf(res), timestampOf(parts)));
  };
  if (forwarding) app.use(searchElsewhere(forwarding));
  app.use(answerError);
  return app;
}

/** Looks at a request and goes on, or refuses it by what it throws. */
type Step = (req: Request, res: Response) => void;

/** What Express calls one by one costs more than most of these do. */
const asOne =
  (...steps: readonly Step[]): RequestHandler =>
  (req, res, next) => {
    for (const step of steps) step(req, res);
    next();
  };

/** Every request has an id, its own or ours, and leaves one line in the log. */
function beginRequest({ calls: { clock, ids, log }, onResponse }: ApiParts): Step {
  return (req, res) => {
    const startedMs = clock.monotonicMs();
    const given = req.get('x-request-id');
    const requestId = given !== undefined && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : ids.next('request');
    stateOf(res).requestId = requestId;
    res.setHeader('x-request-id', requestId);
    res.once('close', () => {
      const path = req.originalUrl.split('?')[0]?.slice(0, 200) ?? '';
      const { method } = req;
      const [status, durationMs] = [res.statusCode, clock.monotonicMs() - startedMs];
      const route = stateOf(res).route ?? routeLabel(path);
      onResponse?.({ route, method: METHODS.has(method) ? method : 'other', status, durationMs });
      log[isProbe(route, status) ? 'debug' : 'info']('api.answered', {
        requestId,
        projectId: stateOf(res).project?.projectId,
        method,
        path: PRIVATE_PATHS.test(withVoicePrefix(path)) ? route : path,
        status,
        durationMs,
        ...(res.writableFinished ? {} : { aborted: true }),
      });
    });
  };
}

/** What monitoring asks for every few seconds; not who is refused there. */
const PROBES = new Set(['/metrics', '/health', '/health/live', '/ready']);
const isProbe = (route: string, status: number): boolean => PROBES.has(route) && status !== 401 && status !== 429;

/** Paths that contain names of phones, numbers, or what lets somebody in. */
const PRIVATE_PATHS = /^\/+(admin|voice\/v1\/do-not-call|room\/[^/]+\/hls)(\/|$)/i;

/** Labels of metrics; node takes a few dozen. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const setSecurityHeaders: Step = (_req, res) => {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  res.setHeader('x-content-type-options', 'nosniff');
};

/**
 * OPTIONS (RFC 9110 §9.3.7): which methods a path takes, in `Allow` and as JSON. Needs no credentials: `/openapi.json`
 * is public, too. Preflight requests from allowed origins are answered in `cross-origin.ts`.
 */
function answerOptions(parts: ApiParts): RequestHandler {
  const isThere = (path: string): boolean => parts.administrators.isConfigured || !/^\/admin(\/|$)/i.test(path);
  return (req, res, next) => {
    const methods = req.method === 'OPTIONS' && isThere(req.path) ? methodsOf(req.path) : [];
    if (methods.length === 0) return next();
    res.set('allow', methods.join(', '));
    sendJson(res, 200, { state: 'success', status: 'success', methods, timestamp: timestampOf(parts) });
  };
}

const selectFamily: Step = (req) => {
  req.url = withVoicePrefix(req.url);
};

/** Errors do not name a call. */
const serviceErrors: Step = (_req, res) => {
  errorContextOf(res).format = 'service';
};

const videoErrors: Step = (_req, res) => {
  errorContextOf(res).format = 'video';
};

const selectErrorFormat: Step = (req, res) => {
  if (/^\/(broadcast|do-not-call)(?=[/?]|$)/i.test(req.url)) errorContextOf(res).format = 'broadcast';
};

const refuseChanges: Step = (req) => {
  if (isReading(req)) return;
  throw new ApiError('quarantined', 'the service is in quarantine: it can be looked at, and changes nothing', {
    hint: 'start it without --quarantine for work',
  });
};

/** The project of a request, which has a limit of requests. */
function authenticate(
  auth: BasicAuth,
  { projects, studio, rateLimit, calls: { clock } }: ApiParts,
  recordChange: RecordChange,
): RequestHandler {
  const take = createRateLimiter(rateLimit, clock);
  const projectOfPrincipal = (principal: Principal, req: Request, res: Response): Project => {
    if (principal.role === 'admin') {
      refuseChange(req, principal.administrator);
      stateOf(res).administrator = { ...principal.administrator, via: 'studio' };
      if (!isReading(req)) res.once('finish', () => res.statusCode < 400 && recordChange(req, res));
    }
    return projectOf(principal, req, projects);
  };
  return (req, res, next) => {
    const { forwarded } = stateOf(res);
    if (forwarded) {
      stateOf(res).project = projectForwarded(forwarded, projects);
      return next();
    }
    const admit = (project: Project): void => {
      stateOf(res).project = project;
      take(project.projectId);
      next();
    };
    const { authorization } = req.headers;
    const principal = authorization === undefined ? studio?.sessions.principalOf(req) : undefined;
    if (principal) return admit(projectOfPrincipal(principal, req, res));
    const known = auth.known(authorization);
    return known ? admit(known) : auth.check(authorization, sourceKey(req.ip ?? '')).then(admit);
  };
}

/** An administrator in the studio acts for the project that the request names, or for the first one. */
function projectOf(principal: Principal, req: Request, projects: ApiParts['projects']): Project {
  const named = principal.role === 'project' ? principal.projectId : req.get('x-callweave-project');
  const project = named === undefined ? projects.first : projects.find(named);
  if (!project) throw new ApiError('unauthorized', 'there is no such project');
  return project;
}

/** The other node has checked the rest. */
function projectForwarded(
  { projectId = '' }: NonNullable<ReturnType<typeof stateOf>['forwarded']>,
  projects: ApiParts['projects'],
): Project {
  const project = projects.find(projectId);
  if (!project) throw new ApiError('unauthorized', 'this node does not know the project yet');
  return project;
}

/** People who open the service in a browser look for its page. */
const leadToStudio: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' || req.path !== '/' || !req.get('accept')?.includes('text/html')) return next();
  // Relative: a proxy may serve all of this below a path.
  res.redirect('studio/');
};

function voiceBody(): RequestHandler {
  const read = jsonBody(MAX_BODY_BYTES);
  const readBroadcast = jsonBody(MAX_BROADCAST_BYTES);
  const underWay = new Map<string, number>();
  return (req, res, next) => {
    if (req.method !== 'POST' || !/^\/broadcast\/?$/i.test(req.path)) return read(req, res, next);
    if (!mayBeLarge(req)) return readBroadcast(req, res, next);
    const { projectId } = signedInProjectOf(res);
    const count = underWay.get(projectId) ?? 0;
    if (count >= MAX_LARGE_BODIES) {
      throw new ApiError('too_many_requests', 'too many broadcasts are being created at once', {
        headers: { 'retry-after': '1' },
      });
    }
    underWay.set(projectId, count + 1);
    res.once('close', () => {
      const left = (underWay.get(projectId) ?? 1) - 1;
      if (left > 0) underWay.set(projectId, left);
      else underWay.delete(projectId);
    });
    readBroadcast(req, res, next);
  };
}

/** A body without a length, or with the length of something compressed, may be of any size. */
function mayBeLarge({ headers }: Request): boolean {
  const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return length > MAX_BODY_BYTES || headers['content-encoding'] !== undefined;
}
