/** Where something stands in a trace, as the headers of W3C Trace Context say it to others. */
export interface TraceContext {
  traceparent: string;
  tracestate?: string;
}
