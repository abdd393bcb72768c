/**
 * Routes of the service itself: `/metrics` for Prometheus, `/health` for load balancers, and `/openapi.json`. Metrics
 * are confidential: they require the administrator's token, or without a configured token, a request from this machine.
 */
import { type Request, type Response, Router } from 'express';
import type { JsonObject } from '../../base/core/json.ts';
import type { NotReady, NotReadyReason } from '../../base/core/not-ready.ts';
import type { DrainState } from '../calls/settings/operation.ts';
import { type AdminAuth, isLocalRequest } from './admin-auth.ts';
import { errorContextOf } from './request-context.ts';
import { notReadyBody } from './response-bodies.ts';
import { type HandledRoute, register } from './route.ts';
import { sendJson } from './send-json.ts';

export interface Health {
  /** `draining`: new calls are refused by order of the administrator. `quarantined`: all calls are refused. */
  status: 'ok' | 'degraded' | 'failing' | Exclude<DrainState, 'open'>;
  /** With `failing`: the reason, its start time, its consequence, and what to do about it. */
  why?: NotReadyReason;
  since?: string;
  means?: string;
  remedy?: string;
  version: string;
  live_calls: number;
  checks: Readonly<Record<string, { ok: boolean } & JsonObject>>;
}

export interface ServiceStatus {
  version: string;
  readiness(): Promise<ReadinessState>;
  /** Metrics in the Prometheus text format, with the content type. */
  metrics(): Promise<{ contentType: string; text: string }>;
  health(): Promise<Health>;
}

/** The reason is public: load balancers and `callweave doctor` on other machines read it. */
export type ReadinessState = 'ready' | NotReadyReason | Exclude<DrainState, 'open'>;

interface ServiceParts {
  status: ServiceStatus;
  auth: AdminAuth;
  /** Text of `/openapi.json`. */
  description(): string;
}

type ServiceHandler = (parts: ServiceParts, req: Request, res: Response) => void | Promise<void>;
type ServiceRoute = HandledRoute<ServiceHandler>;

const serviceRoute = (path: string, row: Omit<ServiceRoute, 'tag' | 'method' | 'path'>): ServiceRoute => ({
  tag: 'Service',
  method: 'GET',
  path,
  ...row,
});

export const SERVICE_ROUTES: readonly ServiceRoute[] = [
  serviceRoute('/health', {
    summary: 'checks if calls are accepted; 503 if not. The reason is visible to the administrator and on this machine',
    auth: 'anybody',
    response: { status: 200, schema: 'responses/health', alternativeStatus: 503 },
    errors: ['too_many_requests'],
    async handle({ status, auth }, req, res) {
      const health = await status.health();
      const isWell = health.status === 'ok' || health.status === 'degraded';
      const seesAll = auth.find(req) !== undefined || isLocalRequest(req);
      sendJson(res, isWell ? 200 : 503, seesAll ? health : { status: health.status });
    },
  }),
  serviceRoute('/health/live', {
    summary: 'checks if the process is running, also during a drain; for supervisors that restart it',
    auth: 'anybody',
    response: { status: 200, schema: 'responses/health-live' },
    errors: ['too_many_requests'],
    handle: (_parts, _req, res) => sendJson(res, 200, { status: 'ok' }),
  }),
  serviceRoute('/ready', {
    summary:
      'checks if this node accepts new calls: 503 with the reason during a drain, or while `/health` is `failing`; for load balancers',
    auth: 'anybody',
    response: { status: 200, schema: 'responses/ready', alternativeStatus: 503 },
    errors: ['too_many_requests'],
    async handle({ status }, _req, res) {
      const now = await status.readiness();
      sendJson(res, now === 'ready' ? 200 : 503, { status: now });
    },
  }),
  serviceRoute('/metrics', {
    summary: 'returns the metrics of the service, for Prometheus',
    auth: 'admin or this machine',
    response: { status: 200, mediaType: 'text/plain' },
    errors: ['unauthorized', 'too_many_requests'],
    async handle({ status, auth }, req, res) {
      if (auth.isConfigured || !isLocalRequest(req)) auth.check(req);
      const { contentType, text } = await status.metrics();
      // `send` would replace the charset of the content type.
      res.set('content-type', contentType).end(text);
    },
  }),
  serviceRoute('/openapi.json', {
    summary: 'returns the description of this API (OpenAPI 3.1)',
    auth: 'anybody',
    response: { status: 200, mediaType: 'application/json' },
    errors: ['too_many_requests'],
    handle: ({ description }, _req, res) => void res.type('json').send(description()),
  }),
];

export function serviceRouter(status: ServiceStatus, auth: AdminAuth, describe: () => JsonObject): Router {
  let described: string | undefined;
  const parts: ServiceParts = {
    status,
    auth,
    description() {
      described ??= JSON.stringify(describe());
      return described;
    },
  };
  const router = Router();
  router.use(
    SERVICE_ROUTES.map(({ path }) => path),
    (_req, res, next) => {
      errorContextOf(res).format = 'service';
      next();
    },
  );
  return register(
    router,
    '',
    SERVICE_ROUTES,
    ({ handle }) =>
      (req, res) =>
        handle(parts, req, res),
  );
}

/**
 * A drain has priority. A problem that prevents new calls makes the node `failing`; any other failure makes it
 * `degraded`.
 */
export function healthOf(
  drain: DrainState,
  notReady: NotReady | undefined,
  facts: Pick<Health, 'version' | 'live_calls' | 'checks'>,
): Health {
  const broken = Object.entries(facts.checks).filter(([, { ok }]) => !ok);
  const health = notReady ? 'failing' : broken.length > 0 ? 'degraded' : 'ok';
  return { status: drain === 'open' ? health : drain, ...(notReady ? notReadyBody(notReady) : {}), ...facts };
}

/** Same priorities as `healthOf`. */
export const readinessOf = (drain: DrainState, notReady: NotReady | undefined): ReadinessState =>
  drain === 'open' ? (notReady?.why ?? 'ready') : drain;
