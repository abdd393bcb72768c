/**
 * Port: OpenTelemetry tracing of calls and of HTTP exchanges for them. Off by default: then it is absent, and none of
 * its packages is loaded. Implemented in `open-telemetry.ts`, which must be imported only by `import()`.
 *
 * Invariants
 *  - Nothing here throws, waits, or grows with spans that the collector does not accept.
 *  - Spans contain internal ids, names given by the flow's author, codes and masked numbers, but nothing that a party
 *    said, pressed or sent.
 */
import type { TraceContext } from '../../../base/core/trace-context.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';

export interface TracingConfig {
  /** URL of the collector (OTLP over HTTP). */
  readonly otlpUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Fraction of traces started here that are recorded. */
  readonly sample: number;
  readonly serviceName: string;
}

export interface Tracing {
  /** Starts the span of a call. The result is stored with the call, and is the parent of all requests for it. */
  startCall(call: TracedCall, parent?: TraceContext): TraceContext | undefined;
  /** Updates the spans of started calls from their journals. */
  observe(entry: JournalEntry, record: CallRecord): void;
  /** Trace context of a flow's request, whose entry was observed. */
  requestContext(callId: string, requestId: string): TraceContext | undefined;
  /** Starts the span of an HTTP exchange that is in no journal: an API request, or the delivery of an event. */
  startExchange(exchange: Exchange): TracedExchange;
  counts(): TraceCounts;
  /** Sends pending spans, within a short time limit. */
  close(): Promise<void>;
}

export type TracedCall = Pick<CallRecord, 'callId' | 'projectId' | 'direction' | 'from' | 'to'> & {
  flow: { name: string; hash: string };
};

export interface Exchange {
  name: string;
  kind: 'server' | 'client';
  method: string;
  /** Route of the API. */
  route?: string;
  /** Target URL; only host and port are recorded. */
  url?: string;
  /** A malformed parent is ignored. */
  parent?: TraceContext;
  attributes?: Readonly<Record<string, string | number>>;
}

export interface TracedExchange {
  /** Context for child spans. */
  context: TraceContext;
  /** `error`: one word, if there was no response. */
  end(result: { status?: number; error?: string }): void;
}

export interface TraceCounts {
  sent: number;
  /** Not sent, because the queue was full. */
  dropped: number;
  /** Rejected by the collector. */
  failed: number;
  /** Includes spans that are being sent. */
  waiting: number;
}
