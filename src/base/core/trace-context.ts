/** Position in a distributed trace, as headers of W3C Trace Context. */
export interface TraceContext {
  traceparent: string;
  tracestate?: string;
}
