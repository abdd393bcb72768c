/** Metrics of the spans for the collector. */
import type { FigureSource } from '../../core/figures.ts';
import type { TraceCounts } from './tracing.ts';

export const traceFigures = (read: () => TraceCounts): FigureSource => ({
  figures: [
    {
      name: 'trace_spans_total',
      type: 'counter',
      help: 'Spans: sent, dropped because too many waited, or failed because the collector did not take them',
      labels: ['result'],
      read() {
        const { waiting: _, ...results } = read();
        return Object.entries(results).map(([result, value]) => ({ labels: { result }, value }));
      },
    },
    {
      name: 'trace_spans_waiting',
      type: 'gauge',
      help: 'Spans that wait to be sent, or are being sent',
      read: () => read().waiting,
    },
  ],
});
