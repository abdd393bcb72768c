/**
 * OPTIONS (RFC 9110 §9.3.7): which methods a path takes, in `Allow` and as JSON. Needs no credentials: `/openapi.json` tells
 * anybody the same. What browsers ask before a request of an allowed origin is answered in `cross-origin.ts`.
 */
import type { RequestHandler } from 'express';
import { methodsOf } from './route-table.ts';

export function answerOptions(timestamp: () => string, isThere: (path: string) => boolean): RequestHandler {
  return (req, res, next) => {
    const methods = req.method === 'OPTIONS' && isThere(req.path) ? methodsOf(req.path) : [];
    if (methods.length === 0) return next();
    res.set('allow', methods.join(', '));
    res.json({ state: 'success', status: 'success', methods, timestamp: timestamp() });
  };
}
