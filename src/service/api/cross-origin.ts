/**
 * Protection against cross-origin requests. Any page can make a browser send requests with remembered credentials; only
 * pages of this origin and of `http.cors_origins` may change anything. Other programs do not send these headers and are
 * not affected. `json-body.ts` complements this: forms cannot send JSON.
 *
 * Invariants
 * - origins are compared completely: there is no wildcard, and `null` is never allowed;
 * - cookies and remembered credentials are never allowed across origins: an application sends `Authorization` itself.
 */
import type { Request, RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

export interface Origins {
  /** Allowed origins of browser applications. */
  corsOrigins: readonly string[];
  /** Public URL of the API: a proxy may replace the host of the request. */
  publicUrl?: string;
}

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Range, X-Request-Id';
const RESPONSE_HEADERS =
  'Retry-After, Allow, Content-Disposition, Content-Range, ETag, Idempotency-Replayed, X-Request-Id';
/** Cache time of a preflight response in the browser. */
const PREFLIGHT_SECONDS = 600;

/** Sets the CORS headers for allowed origins and answers their preflight requests, which carry no credentials. */
export function corsHeaders({ corsOrigins: allowed }: Origins): RequestHandler {
  return (req, res, next) => {
    if (allowed.length === 0) return next();
    res.vary('Origin');
    const origin = req.get('origin');
    if (origin === undefined || !allowed.includes(origin)) return next();
    res.set({ 'access-control-allow-origin': origin, 'access-control-expose-headers': RESPONSE_HEADERS });
    const isPreflight = req.method === 'OPTIONS' && req.get('access-control-request-method') !== undefined;
    if (!isPreflight) return next();
    res.set({
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    });
    res.status(204).end();
  };
}

/** Refuses changes by pages of other origins. */
export function refuseForeignOrigins({ corsOrigins: allowed, publicUrl }: Origins): (req: Request) => void {
  const ours = originOf(publicUrl);
  return (req) => {
    if (!CHANGING.has(req.method)) return;
    const origin = req.get('origin');
    const site = req.get('sec-fetch-site');
    if (origin !== undefined && allowed.includes(origin)) return;
    const isForeign = origin !== undefined && origin !== ours && !isOfHost(origin, req.get('host'));
    const isFromElsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
    // Exception: a page of `public_url` that uses another name of this service.
    if (isForeign || (isFromElsewhere && (origin === undefined || origin !== ours))) {
      throw new ApiError('foreign_origin', 'requests from pages of other origins are refused', {
        hint: 'add its origin to http.cors_origins',
      });
    }
  };
}

/** True if a page of `origin` may open a WebSocket. Programs other than browsers send no origin. */
export function mayConnect(origin: string | undefined, host: string | undefined, origins: Origins): boolean {
  if (origin === undefined || origins.corsOrigins.includes(origin)) return true;
  return origin === originOf(origins.publicUrl) || isOfHost(origin, host);
}

const originOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : new URL(url).origin);

/** True if the page comes from the requested host. Schemes can differ behind a TLS proxy. */
function isOfHost(origin: string, host: string | undefined): boolean {
  if (host === undefined || !/^https?:\/\//.test(origin)) return false;
  const usualPort = origin.startsWith('https:') ? /:443$/ : /:80$/;
  return origin.replace(/^https?:\/\//, '') === host.toLowerCase().replace(usualPort, '');
}
