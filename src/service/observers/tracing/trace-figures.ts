/** Metrics of the spans for the collector. */
import type { FigureSource } from '../../../base/core/figures.ts';
import type { TraceCounts } from './tracing.ts';

export const traceFigures = (read: () => TraceCounts): FigureSource => ({
  figures: [
    {
      name: 'trace_spans_total',
      type: 'counter',
      help: 'Spans: sent, dropped because of a full buffer, or failed because the collector did not accept them',
      labels: ['result'],
      read() {
        const { waiting: _, ...results } = read();
        return Object.entries(results).map(([result, value]) => ({ labels: { result }, value }));
      },
    },
    {
      name: 'trace_spans_waiting',
      type: 'gauge',
      help: 'Spans that are waiting or being sent',
      read: () => read().waiting,
    },
  ],
});
