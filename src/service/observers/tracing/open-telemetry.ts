/** Tracing with the OpenTelemetry packages. Loaded only if the configuration enables tracing. */
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import type { Clock } from '../../../base/core/clock.ts';
import type { Log } from '../../../base/core/log.ts';
import type { TraceContext } from '../../../base/core/trace-context.ts';
import { CallSpans, fail, within } from './call-spans.ts';
import { exchangeAttributes } from './exchange-attributes.ts';
import { SpanQueue } from './span-queue.ts';
import type { Tracing, TracingConfig } from './tracing.ts';

const EXPORT_TIMEOUT_MS = 5000;
/** Maximum calls tracked; also bounds those whose journal never ends. */
const MAX_CALLS = 50_000;
/** Longer incoming headers are ignored; outgoing headers are generated, in the length of W3C Trace Context. */
const MAX_TRACEPARENT = 128;

export function openTelemetry(
  { otlpUrl, headers, sample, serviceName }: TracingConfig,
  { clock, log, version }: { clock: Clock; log: Log; version: string },
): Tracing {
  const exporter = new OTLPTraceExporter({ url: otlpUrl, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS });
  const queue = new SpanQueue(exporter, { clock, log });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: serviceName, [ATTR_SERVICE_VERSION]: version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sample) }),
    spanProcessors: [queue],
  });
  const tracer = provider.getTracer('callweave', version);
  const calls = new Map<string, CallSpans>();

  /** An error in tracing must not become one of a call. */
  function safely<Value>(work: () => Value): Value | undefined {
    try {
      return work();
    } catch (error) {
      log.error('tracing.broken', { error });
      return undefined;
    }
  }

  return {
    startCall: (call, parent) =>
      safely(() => {
        const spans = new CallSpans(tracer, call, { parent: contextOf(parent), startTime: clock.now() });
        const [oldest] = calls.keys();
        if (calls.size >= MAX_CALLS && oldest !== undefined) calls.delete(oldest);
        calls.set(call.callId, spans);
        return headersOf(spans.root);
      }),
    observe: (entry, record) =>
      safely(() => {
        if (calls.get(record.callId)?.follow(entry, record)) calls.delete(record.callId);
      }),
    requestContext(callId, requestId) {
      const span = calls.get(callId)?.request(requestId);
      return span && headersOf(span);
    },
    startExchange({ name, kind, parent, attributes, ...exchange }) {
      const options = {
        kind: kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT,
        startTime: clock.now(),
        attributes: { ...exchangeAttributes(exchange), ...attributes },
      };
      const span = tracer.startSpan(name, options, contextOf(parent));
      return {
        context: headersOf(span),
        end({ status, error }) {
          if (status !== undefined) span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
          // For a server, a client error (4xx) is not an error of the span.
          const isError = status !== undefined && status >= (kind === 'server' ? 500 : 400);
          if (error !== undefined || isError) fail(span, error ?? String(status));
          span.end(clock.now());
        },
      };
    },
    counts: () => queue.counts,
    close: () => provider.shutdown(),
  };
}

const propagator = new W3CTraceContextPropagator();

/** A malformed parent starts a new trace. */
function contextOf(parent: TraceContext | undefined): Context {
  if (parent === undefined || parent.traceparent.length > MAX_TRACEPARENT) return ROOT_CONTEXT;
  return propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter);
}

function headersOf(span: Span): TraceContext {
  const headers: Partial<TraceContext> = {};
  propagator.inject(within(span), headers, defaultTextMapSetter);
  const { traceparent = '', tracestate = '' } = headers;
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}
