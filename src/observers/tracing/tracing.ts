/**
 * Port: traces for OpenTelemetry, of calls and of what is sent and received for them. Off by default: then it is not there,
 * and none of its packages is loaded. Implemented in `open-telemetry.ts`, which nobody may import but by `import()`.
 *
 * Invariants
 *  - nothing here throws, waits, or grows with what the collector does not take;
 *  - spans have our own ids, names of the flow's author, codes and masked numbers: nothing that anyone said, pressed or sent.
 */
import type { TraceContext } from '../../core/trace-context.ts';
import type { CallRecord, JournalEntry } from '../../runtime/journal.ts';

export interface TracingConfig {
  /** Where traces are sent (OTLP over HTTP). */
  readonly otlpUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The share of traces that are recorded, of those that begin here. */
  readonly sample: number;
  readonly serviceName: string;
}

export interface Tracing {
  /** Begins the span of a call. What it returns is kept with the call, and is the parent of whatever is sent for it. */
  beginCall(call: TracedCall, parent?: TraceContext): TraceContext | undefined;
  /** Follows calls that were begun by their journals. */
  observe(entry: JournalEntry, record: CallRecord): void;
  /** Where a request of a flow stands, whose entry was observed. */
  requestContext(callId: string, requestId: string): TraceContext | undefined;
  /** Begins the span of an HTTP exchange that is in no journal: a request to the API, an event for a receiver. */
  beginExchange(exchange: Exchange): TracedExchange;
  counts(): TraceCounts;
  /** Sends what waits, for a short while. */
  close(): Promise<void>;
}

export type TracedCall = Pick<CallRecord, 'callId' | 'projectId' | 'direction' | 'from' | 'to'> & {
  flow: { name: string; hash: string };
};

export interface Exchange {
  name: string;
  kind: 'server' | 'client';
  method: string;
  /** Of the API. */
  route?: string;
  /** That was asked; only host and port are shown. */
  url?: string;
  /** A begin that is malformed is ignored. */
  parent?: TraceContext;
  attributes?: Readonly<Record<string, string | number>>;
}

export interface TracedExchange {
  /** For those that have it as their parent. */
  context: TraceContext;
  /** `error`: in one word, where there was no answer. */
  end(result: { status?: number; error?: string }): void;
}

export interface TraceCounts {
  sent: number;
  /** Not sent, because too many waited. */
  dropped: number;
  /** Not taken by the collector. */
  failed: number;
  /** With those that are being sent. */
  waiting: number;
}
