/** Metrics of the webhook queue. */
import type { FigureSource } from '../../../base/core/figures.ts';

export interface WebhookReadings {
  /** Pending events, and dead letters. */
  waiting: number;
  dead: number;
  /** Attempts in flight. */
  inFlight: number;
  /** Receivers whose circuit is open. */
  circuitsOpen: number;
  /** Age of the oldest pending event, in ms; 0 if there is none. */
  oldestMs: number;
}

/** Reads once per scrape for all gauges, because counting examines all pending events. */
export function webhookFigures(read: () => Promise<WebhookReadings>): FigureSource {
  let now: WebhookReadings | undefined;
  const gauge = (name: string, help: string, value: (now: WebhookReadings) => number) =>
    ({ name: `webhooks_${name}`, type: 'gauge', help, read: () => now && value(now) }) as const;
  return {
    async refresh() {
      now = await read();
    },
    figures: [
      gauge('waiting', 'Events that wait to be delivered', ({ waiting }) => waiting),
      gauge('dead', 'Dead-lettered events', ({ dead }) => dead),
      gauge('in_flight', 'Delivery attempts in progress', ({ inFlight }) => inFlight),
      gauge('circuits_open', 'Receivers that fail and are only probed', ({ circuitsOpen }) => circuitsOpen),
      gauge('oldest_waiting_seconds', 'Waiting time of the oldest waiting event', ({ oldestMs }) => oldestMs / 1000),
    ],
  };
}
