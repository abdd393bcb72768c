/**
 * The service itself: `/metrics` for Prometheus, `/health` for whoever decides where calls go, and `/openapi.json`, which
 * describes the API.
 * Figures tell about the business: they are for the administrator, or, where there is none, for this machine.
 */
import { type RequestHandler, Router } from 'express';
import type { JsonObject } from '../core/json.ts';
import { type AdminAuth, isLocalRequest } from './admin/admin-auth.ts';
import { openApi } from './openapi.ts';
import { errorContextOf } from './request-context.ts';
import { only } from './route-parts.ts';

export interface Health {
  status: 'ok' | 'degraded' | 'failing' | 'stopping';
  version: string;
  live_calls: number;
  checks: Readonly<Record<string, { ok: boolean } & JsonObject>>;
}

export interface ServiceStatus {
  version: string;
  /** The text format of Prometheus, and its content type. */
  metrics(): Promise<{ contentType: string; text: string }>;
  health(): Health;
}

export function serviceRoutes({ metrics, health, version }: ServiceStatus, auth: AdminAuth): Router {
  const [ofMetrics, ofHealth] = [auth.withSeparateCounter(), auth.withSeparateCounter()];
  let described: string | undefined;
  const description: RequestHandler = (_req, res) => {
    described ??= JSON.stringify(openApi(version));
    res.type('json').send(described);
  };

  const figures: RequestHandler = async (req, res) => {
    if (ofMetrics.isConfigured || !isLocalRequest(req)) ofMetrics.check(req);
    const { contentType, text } = await metrics();
    // `send` would put a charset of its own over the one of the format.
    res.set('content-type', contentType).end(text);
  };

  const wellBeing: RequestHandler = (req, res) => {
    const all = health();
    const isWell = all.status === 'ok' || all.status === 'degraded';
    const seesAll = ofHealth.isAdmin(req) || isLocalRequest(req);
    res.status(isWell ? 200 : 503).json(seesAll ? all : { status: all.status });
  };

  const router = Router();
  router.use(['/metrics', '/health', '/openapi.json'], (_req, res, next) => {
    errorContextOf(res).format = 'service';
    next();
  });
  router.route('/openapi.json').get(description).all(only('GET'));
  router.route('/metrics').get(figures).all(only('GET'));
  router.route('/health').get(wellBeing).all(only('GET'));
  return router;
}

/** What is wrong elsewhere is a pity; without the store nothing goes. */
export function healthOf(isOpen: boolean, facts: Omit<Health, 'status'>): Health {
  const broken = Object.entries(facts.checks).filter(([, { ok }]) => !ok);
  const isFailing = facts.checks['store']?.ok === false;
  return { status: !isOpen ? 'stopping' : isFailing ? 'failing' : broken.length > 0 ? 'degraded' : 'ok', ...facts };
}
