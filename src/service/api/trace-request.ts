/**
 * Creates a span for each request of an application or an administrator, within the trace of the request's headers (W3C
 * Trace Context). Calls placed by the request belong to the same trace. Without valid headers, a new trace starts.
 */
import type { Request, RequestHandler } from 'express';
import type { TraceContext } from '../../base/core/trace-context.ts';
import type { Tracing } from '../observers/tracing/tracing.ts';
import { stateOf } from './request-context.ts';
import { routeLabel } from './routes.ts';

/** Excludes pages, probes and metrics scrapes. */
const TRACED_PATHS = /^\/+(voice|video|v1|admin)(\/|$)/i;

export function traceRequest({ startExchange }: Pick<Tracing, 'startExchange'>): RequestHandler {
  return (req, res, next) => {
    const path = req.originalUrl.split('?')[0] ?? '';
    if (!TRACED_PATHS.test(path)) return next();
    const { method } = req;
    const route = routeLabel(path);
    const parent = parentOf(req);
    const exchange = { name: `${method} ${route}`, kind: 'server', method, route } as const;
    const { context, end } = startExchange({ ...exchange, ...(parent ? { parent } : {}) });
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
