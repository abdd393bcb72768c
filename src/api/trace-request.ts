/**
 * A span for each request of an application or an administrator, in the trace that the request names (W3C Trace Context);
 * calls that it makes belong to the same. Without such headers, or with malformed ones, a trace begins.
 */
import type { Request, RequestHandler } from 'express';
import type { TraceContext } from '../core/trace-context.ts';
import type { Tracing } from '../observers/tracing/tracing.ts';
import { stateOf } from './request-context.ts';
import { routeLabel } from './routes.ts';

/** Not pages, probes and scrapes. */
const TRACED_PATHS = /^\/+(voice|video|v1|admin)(\/|$)/i;

export function traceRequest({ beginExchange }: Pick<Tracing, 'beginExchange'>): RequestHandler {
  return (req, res, next) => {
    const path = req.originalUrl.split('?')[0] ?? '';
    if (!TRACED_PATHS.test(path)) return next();
    const { method } = req;
    const route = routeLabel(path);
    const parent = parentOf(req);
    const exchange = { name: `${method} ${route}`, kind: 'server', method, route } as const;
    const { context, end } = beginExchange({ ...exchange, ...(parent ? { parent } : {}) });
    stateOf(res).trace = context;
    res.once('close', () => end(res.writableFinished ? { status: res.statusCode } : { error: 'aborted' }));
    next();
  };
}

function parentOf(req: Request): TraceContext | undefined {
  const [traceparent, tracestate] = [req.get('traceparent'), req.get('tracestate')];
  if (traceparent === undefined) return undefined;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
