/**
 * Requests from browsers. A page of any origin can make a browser send requests to us, with credentials that the browser
 * remembers; only pages of our own origin, and of those in `http.cors_origins`, may change anything. Programs other than
 * browsers do not send these headers, and are not affected. `json-body.ts` is the other half: forms cannot send JSON.
 *
 * Invariants
 *  - origins are compared as a whole: there is no wildcard, and `null` is never allowed;
 *  - cookies and remembered credentials are never allowed across origins: an application sends `Authorization` itself.
 */
import type { Request, RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

export interface Origins {
  /** Of browser applications. */
  corsOrigins: readonly string[];
  /** The URL by which others reach the API: a proxy may hide the host that the browser asked for. */
  publicUrl?: string;
}

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Range, X-Request-Id';
const RESPONSE_HEADERS =
  'Retry-After, Allow, Content-Disposition, Content-Range, ETag, Idempotency-Replayed, X-Request-Id';
/** How long a browser may cache a preflight response. */
const PREFLIGHT_SECONDS = 600;

/** Sets the CORS headers for pages of the allowed origins, and answers their preflight requests, which carry no credentials. */
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

/** Refuses changes by pages of another origin. */
export function refuseForeignOrigins({ corsOrigins: allowed, publicUrl }: Origins): (req: Request) => void {
  const ours = originOf(publicUrl);
  return (req) => {
    if (!CHANGING.has(req.method)) return;
    const origin = req.get('origin');
    const site = req.get('sec-fetch-site');
    if (origin !== undefined && allowed.includes(origin)) return;
    const isForeign = origin !== undefined && origin !== ours && !isOfHost(origin, req.get('host'));
    const isFromElsewhere = site !== undefined && site !== 'same-origin' && site !== 'none';
    // A page of `public_url` that reaches us by another of our names.
    if (isForeign || (isFromElsewhere && (origin === undefined || origin !== ours))) {
      throw new ApiError('foreign_origin', 'a page of another origin may not do this', {
        hint: 'name its origin in http.cors_origins',
      });
    }
  };
}

/** Whether a page of `origin` may open a web socket here; other programs send no origin. */
export function mayConnect(origin: string | undefined, host: string | undefined, origins: Origins): boolean {
  if (origin === undefined || origins.corsOrigins.includes(origin)) return true;
  return origin === originOf(origins.publicUrl) || isOfHost(origin, host);
}

const originOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : new URL(url).origin);

/** Whether the browser asked the host that the page came from; behind a proxy with TLS the schemes may differ. */
function isOfHost(origin: string, host: string | undefined): boolean {
  if (host === undefined || !/^https?:\/\//.test(origin)) return false;
  const usualPort = origin.startsWith('https:') ? /:443$/ : /:80$/;
  return origin.replace(/^https?:\/\//, '') === host.toLowerCase().replace(usualPort, '');
}
