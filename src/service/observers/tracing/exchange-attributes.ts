/** Span attributes of an HTTP exchange: only the host of a URL, because paths and queries may contain personal data. */
import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_ROUTE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
} from '@opentelemetry/semantic-conventions';
import { portOf } from '../../../base/http/ssrf-guard.ts';
import type { Exchange } from './tracing.ts';

export function exchangeAttributes({ method, route, url }: Pick<Exchange, 'method' | 'route' | 'url'>): Attributes {
  const to = url === undefined ? null : URL.parse(url);
  return {
    [ATTR_HTTP_REQUEST_METHOD]: method,
    ...(route === undefined ? {} : { [ATTR_HTTP_ROUTE]: route }),
    ...(to ? { [ATTR_SERVER_ADDRESS]: to.hostname, [ATTR_SERVER_PORT]: portOf(to.port, to.protocol) } : {}),
  };
}
