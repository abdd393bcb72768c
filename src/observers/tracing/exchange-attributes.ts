/** What a span says of an HTTP exchange: never more of a URL than its host, because paths and queries name people. */
import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_ROUTE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
} from '@opentelemetry/semantic-conventions';
import { portOf } from '../../http/ssrf-guard.ts';
import type { Exchange } from './tracing.ts';

export function exchangeAttributes({ method, route, url }: Pick<Exchange, 'method' | 'route' | 'url'>): Attributes {
  const to = url === undefined ? null : URL.parse(url);
  return {
    [ATTR_HTTP_REQUEST_METHOD]: method,
    ...(route === undefined ? {} : { [ATTR_HTTP_ROUTE]: route }),
    ...(to ? { [ATTR_SERVER_ADDRESS]: to.hostname, [ATTR_SERVER_PORT]: portOf(to.port, to.protocol) } : {}),
  };
}
