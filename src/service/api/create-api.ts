/**
 * The HTTP API: request ids, authentication, limits and errors for all requests, and the routes below them.
 *
 * Invariants
 * - every response is a single JSON document with a length, errors included, except for files and preflight responses
 * (`cross-origin.ts`);
 * - no part of a body is read before authentication;
 * - an internal error is logged; the client only gets `internal server error`.
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
import type { JsonObject } from '../../base/core/json.ts';
import { sourceKey } from '../../base/core/source-key.ts';
import type { LiveStreams } from '../../media/rooms/live-stream/live-streams.ts';
import type { Project } from '../calls/projects/project-store.ts';
import type { Projects } from '../calls/projects/projects.ts';
import type { Administrators } from '../calls/settings/administrators.ts';
import type { Tracing } from '../observers/tracing/tracing.ts';
import { AddressLimit } from './address-limit.ts';
import { type AdminParts, adminRouter } from './admin/admin-route.ts';
import { ADMIN_ROUTES } from './admin/admin-routes.ts';
import { createAdminAuth, isReading, refuseChange } from './admin-auth.ts';
import { ApiError, errorBody, toApiError } from './api-error.ts';
import { type BasicAuth, createBasicAuth } from './basic-auth.ts';
import type { ClientAddresses } from './client-address.ts';
import { corsHeaders, type Origins, refuseForeignOrigins } from './cross-origin.ts';
import { forwardedAnswers } from './forwarded-answers.ts';
import { acceptForwarded, type Forwarding, forwardToOwner, searchElsewhere } from './forwarding.ts';
import { jsonBody, MAX_BODY_BYTES } from './json-body.ts';
import { openApi } from './openapi.ts';
import { createRateLimiter, type RateLimit } from './rate-limit.ts';
import { errorContextOf, signedInProjectOf, stateOf } from './request-context.ts';
import { methodsOf, routeLabel, VIDEO_ROUTES, VOICE_ROUTES, withVoicePrefix } from './routes.ts';
import { sendJson } from './send-json.ts';
import { type ServiceStatus, serviceRouter } from './service-routes.ts';
import { type SessionParts, sessionRouter } from './session-routes.ts';
import type { Principal } from './sessions.ts';
import { traceRequest } from './trace-request.ts';
import { createTrail, type RecordChange, recordAcceptedInvitation } from './trail.ts';
import { answerStream } from './video/stream-route.ts';
import { VIDEO_BASES, type VideoParts, videoRouter } from './video/video-route.ts';
import { timestampOf, type VoiceParts, voiceRouter } from './voice-route.ts';

/** Room for a hundred thousand numbers with the input of their flows. */
const MAX_BROADCAST_BYTES = 10 * 2 ** 20;
/** Requests of one source without valid credentials. A company behind one address opens pages and rooms at once. */
const SOURCE_RATE = { perSecond: 100, burst: 1000 };
/** Concurrent large bodies for each project: a body stays in memory until the broadcast is stored. */
const MAX_LARGE_BODIES = 2;

export interface ApiParts extends VoiceParts, VideoParts {
  projects: Projects;
  rateLimit: RateLimit;
  administrators: Administrators;
  admin: AdminParts;
  /** Absent if the studio is disabled. `site` serves its page and files. */
  studio?: Pick<SessionParts, 'sessions' | 'redeem' | 'phonesReach'> & { site: RequestListener };
  /** Live streams of rooms, below `/room`. */
  streams: Pick<LiveStreams, 'read'>;
  /** Page and files of `/room`. */
  roomPage: RequestListener;
  /** Page and files of `/phone`. */
  phonePage: RequestListener;
  service: ServiceStatus;
  origins: Origins;
  addresses: Pick<ClientAddresses, 'isProxy'>;
  /** Absent for a single node. */
  forwarding?: Forwarding;
  /** Handles the response of a webhook receiver to an event of a call. */
  steer(callId: string, answer: JsonObject): void;
  /** Absent if tracing is disabled. */
  tracing?: Pick<Tracing, 'startExchange'>;
  /** True if all changes are refused, except for signing in to the studio. */
  isQuarantined: boolean;
  /** Called for every request after its response. */
  onResponse?(request: { route: string; method: string; status: number; durationMs: number }): void;
}

export function createApi(parts: ApiParts): Express {
  const { clock, log } = parts.calls;
  const app = express();
  app.disable('x-powered-by');
  // Files get an ETag, JSON bodies do not.
  app.set('etag', () => undefined);
  app.set('query parser', false);
  // Makes `req.ip` the client address by the same rule as for WebSockets (`client-address.ts`).
  app.set('trust proxy', parts.addresses.isProxy);

  app.use(asOne(selectFamily));
  if (parts.tracing) app.use(traceRequest(parts.tracing));
  app.use(asOne(startRequest(parts), setSecurityHeaders), corsHeaders(parts.origins), answerOptions(parts));
  const sessions = parts.studio?.sessions;
  const adminAuth = createAdminAuth(parts.administrators, clock, sessions);
  const recordChange = createTrail({ changes: parts.admin.changes, log, routeOf: routeLabel });
  const basicAuth = createBasicAuth(parts.projects);
  const refuseForeign = refuseForeignOrigins(parts.origins);
  const guard = parts.isQuarantined ? [refuseForeign, refuseChanges] : [refuseForeign];
  const signIn = authenticate(basicAuth, parts, recordChange);
  const { forwarding } = parts;
  const forward = forwarding ? [forwardToOwner(forwarding)] : [];
  if (forwarding) app.use(asOne(acceptForwarded(forwarding)), forwardedAnswers(parts.steer));
  app.use(asOne(limitSource(parts, { basicAuth, sessions })));
  // The busiest families come first, each as one router: its prefix is compared once, and the other routers are
  // skipped.
  const voice = Router().use(asOne(selectErrorFormat, ...guard), signIn, ...forward, voiceBody());
  app.use('/voice/v1', voice.use(voiceRouter(VOICE_ROUTES, parts)));
  const video = Router().use(asOne(videoErrors, ...guard), signIn, ...forward, jsonBody(MAX_BODY_BYTES));
  app.use(VIDEO_BASES, video.use(videoRouter(VIDEO_ROUTES, parts)));
  app.use(serviceRouter(parts.service, adminAuth, () => openApi(parts.service.version)));
  app.use('/studio', asOne(serviceErrors, refuseForeign));
  if (parts.studio) {
    const { projects, isQuarantined } = parts;
    const { site, ...ofSessions } = parts.studio;
    // Before the check for sessions, because sessions are created here. Wrong tokens are counted separately.
    const tokenAuth = createAdminAuth(parts.administrators, clock);
    const { administrators } = parts;
    const recordAccepted = recordAcceptedInvitation({ changes: parts.admin.changes, log });
    app.use(
      sessionRouter({
        ...{ ...ofSessions, adminAuth: tokenAuth, basicAuth, projects, isQuarantined },
        ...{ administrators, recordAccepted },
      }),
    );
    app.use('/studio', (req, res) => site(req, res));
    app.use(leadToStudio);
  }
  app.use('/room', asOne(serviceErrors), answerStream(parts.streams), (req, res) => parts.roomPage(req, res));
  app.use('/phone', (req, res) => parts.phonePage(req, res));
  app.use('/admin', asOne(serviceErrors, ...guard));
  app.use('/admin/v1', adminRouter(ADMIN_ROUTES, parts.admin, { auth: adminAuth, recordChange, clock, forward }));
  app.use((req) => {
    throw new ApiError('unknown_route', `route not found: ${req.method} ${req.path.slice(0, 200)}`);
  });

  const answerError: ErrorRequestHandler = (thrown, _req, res, _next) => {
    const error = toApiError(thrown);
    if (error.code === 'internal') log.error('api.failed', { requestId: stateOf(res).requestId, error: thrown });
    // A response that has started cannot be replaced: the connection is closed, so that the client detects the
    // truncation.
    if (res.headersSent) return void res.destroy();
    if (error.code === 'too_large') res.set('connection', 'close');
    res.set(error.headers);
    sendJson(res, error.status, errorBody(error, errorContextOf(res), timestampOf(parts)));
  };
  if (forwarding) app.use(searchElsewhere(forwarding));
  app.use(answerError);
  return app;
}

/** Checks a request; throws to refuse it. */
type Step = (req: Request, res: Response) => void;

/** Combines several steps into one handler: Express's dispatch costs more than most of these steps. */
const asOne =
  (...steps: readonly Step[]): RequestHandler =>
  (req, res, next) => {
    for (const step of steps) step(req, res);
    next();
  };

/** Assigns a request id, the client's or a new one, and logs one line for each request. */
function startRequest({ calls: { clock, ids, log }, onResponse }: ApiParts): Step {
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

/** Frequent monitoring requests are not logged, unless they are refused. */
const PROBES = new Set(['/metrics', '/health', '/health/live', '/ready']);
const isProbe = (route: string, status: number): boolean => PROBES.has(route) && status !== 401 && status !== 429;

/** Paths that contain phone numbers, names or access tokens. */
const PRIVATE_PATHS = /^\/+(admin|voice\/v1\/do-not-call|room\/[^/]+\/hls)(\/|$)/i;

/** Known methods for metric labels: Node accepts a few dozen. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const setSecurityHeaders: Step = (_req, res) => {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  res.setHeader('x-content-type-options', 'nosniff');
};

/**
 * OPTIONS (RFC 9110 §9.3.7): methods of a path in `Allow` and as JSON. Needs no credentials, because `/openapi.json` is
 * public as well. `cross-origin.ts` answers preflight requests.
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

/** Limits requests without valid credentials by source. Viewers of a live stream, who may share an address, are exempt. */
function limitSource(
  { calls: { clock }, administrators }: ApiParts,
  { basicAuth, sessions }: { basicAuth: BasicAuth; sessions: SessionParts['sessions'] | undefined },
): Step {
  const limit = new AddressLimit(clock, SOURCE_RATE);
  const isKnown = (req: Request): boolean => {
    const { authorization } = req.headers;
    const [, token] = /^bearer +(\S{1,1024})$/i.exec(authorization ?? '') ?? [];
    if (token !== undefined) return administrators.withToken(token) !== undefined;
    return (authorization === undefined ? sessions?.principalOf(req) : basicAuth.known(authorization)) !== undefined;
  };
  return (req, res) => {
    if (stateOf(res).forwarded || LIVE_STREAM.test(req.path)) return;
    if (limit.admits(req.ip ?? '') || isKnown(req)) return;
    const isVideo = VIDEO_BASES.some((base) => req.path.startsWith(base));
    if (!/^\/voice\//i.test(req.path)) errorContextOf(res).format = isVideo ? 'video' : 'service';
    const { perSecond } = SOURCE_RATE;
    const message = `more than ${perSecond} requests per second from this address without valid credentials`;
    throw new ApiError('too_many_requests', message, { headers: { 'retry-after': '1' } });
  };
}

const LIVE_STREAM = /^\/room\/[^/]+\/hls\//i;

/** Error format without call fields. */
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
  throw new ApiError('quarantined', 'the service is in quarantine and read-only', {
    hint: 'restart the service without --quarantine',
  });
};

/** Authenticates the project of a request and applies its rate limit. */
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

/** Project of a request. An administrator in the studio acts for the named project, or for the first one. */
function projectOf(principal: Principal, req: Request, projects: ApiParts['projects']): Project {
  const named = principal.role === 'project' ? principal.projectId : req.get('x-callweave-project');
  const project = named === undefined ? projects.first : projects.find(named);
  if (!project) throw new ApiError('unauthorized', 'project not found');
  return project;
}

/** The forwarding node has already applied the limits. */
function projectForwarded(
  { projectId = '' }: NonNullable<ReturnType<typeof stateOf>['forwarded']>,
  projects: ApiParts['projects'],
): Project {
  const project = projects.find(projectId);
  if (!project) throw new ApiError('unauthorized', 'the project is not known to this node yet');
  return project;
}

/** Redirects browsers from `/` to the studio. */
const leadToStudio: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' || req.path !== '/' || !req.get('accept')?.includes('text/html')) return next();
  // Relative, because a proxy may serve the service below a path.
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

/** A body without a length, or a compressed one, can have any size. */
function mayBeLarge({ headers }: Request): boolean {
  const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return length > MAX_BODY_BYTES || headers['content-encoding'] !== undefined;
}
