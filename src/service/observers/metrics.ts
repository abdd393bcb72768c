/**
 * Metrics for Prometheus: some counters follow the journal as it is written; all others are kept by their modules, and
 * read at each scrape. Labels come from closed sets (verbs, states, causes, routes of the API), or are names of the
 * configuration: a number, a person or the id of a call is never a label.
 */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { atMost, type Clock } from '../../base/core/clock.ts';
import type { FigureSource } from '../../base/core/figures.ts';
import { forKind, type KindTable } from '../../base/core/kind-table.ts';
import type { CallRecord, JournalEntry } from '../runtime/journal.ts';
import { expositionOf } from './exposition.ts';
import { createRoomMetrics, type RoomMetrics, type RoomReadings, roomFigures } from './room-metrics.ts';

export interface MetricsOptions {
  clock: Clock;
  /** True to include memory, CPU and event loop of this process: once per process. */
  process?: boolean;
}

export interface Metrics {
  /** Called with every entry after its commit; `record` is the call after the entry. */
  countEntry(entry: JournalEntry, record: CallRecord): void;
  countRequest(request: { route: string; method: string; status: number; durationMs: number }): void;
  /** Counts an attempt to deliver an event. */
  countDelivery(result: { outcome: 'delivered' | 'failed' | 'given_up'; durationMs: number }): void;
  /** Adds metrics that are read at each scrape. */
  add(source: FigureSource): void;
  /** Adds the metrics of video rooms. */
  watchRooms(read: () => RoomReadings): RoomMetrics;
  /** The metrics in the text format of Prometheus, with its content type. */
  read(): Promise<{ contentType: string; text: string }>;
}

/** Gauges whose names end in `_total` like those of counters; other metrics report the same values by type. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total'];

/** A source that takes longer keeps its previous values. */
const MAX_REFRESH_MS = 1000;
const CALL_SECONDS = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
const SETUP_SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60];
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const SCORES = [1.5, 2, 2.5, 3, 3.5, 3.8, 4, 4.2, 4.4];

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  if (options.process) {
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
  }
  const counter = <L extends string>(name: string, help: string, labelNames: L[]): Counter<L> =>
    new Counter({ name: `callweave_${name}_total`, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: L[]): Histogram<L> =>
    new Histogram({ name: `callweave_${name}`, help, buckets, labelNames, registers });

  const started = counter('calls_started', 'Started calls', ['direction']);
  const ended = counter('calls_ended', 'Ended calls, by Q.850 cause', ['direction', 'state', 'cause']);
  const ends = counter('runs_ended', 'Ended flows of calls, by reason', ['reason']);
  const talk = histogram('call_duration_seconds', 'Time from the answer to the end of a call', CALL_SECONDS, [
    'direction',
  ]);
  const setup = histogram('call_setup_seconds', 'Time from dialling to the answer', SETUP_SECONDS, ['direction']);
  const score = histogram('call_mos', 'Estimated mean opinion score (MOS) of a call', SCORES, []);
  const lost = counter('rtp_packets_lost', 'Lost RTP packets', []);
  const received = counter('rtp_packets_received', 'Received RTP packets', []);
  const steps = counter('steps', 'Completed steps, by verb and the first word of the outcome', ['verb', 'outcome']);
  const faults = counter('faults', 'Failed steps, by fault code', ['code']);
  const bridges = counter('bridges', 'Bridges, by result', ['state']);
  const recordings = counter('recordings', 'Recordings of calls', ['state']);
  const streams = counter('streams', 'Audio streams of calls', ['state']);
  const refused = counter('commands_refused', 'Commands refused because of the state of their call', [
    'command',
    'why',
  ]);
  const deliveries = counter('webhook_attempts', 'Delivery attempts of events', ['outcome']);
  const deliveryTime = histogram('webhook_seconds', 'Response time of receivers', REQUEST_SECONDS, []);
  const requests = counter('http_requests', 'Requests to the API', ['route', 'method', 'status']);
  const requestTime = histogram('http_request_seconds', 'Response time of the API', REQUEST_SECONDS, ['route']);

  const sources: FigureSource[] = [];

  /** Refreshes values that need I/O; a blocked disk or thread does not delay the scrape. */
  async function refresh(): Promise<void> {
    const refreshed = Promise.allSettled(sources.map((source) => source.refresh?.()));
    await atMost(options.clock, MAX_REFRESH_MS, refreshed);
  }

  function endCall(record: CallRecord): void {
    const { direction, state, cause, startedMs, answeredMs, endedMs, quality } = record;
    ended.inc({ direction, state, cause: String(cause?.code ?? '') });
    if (answeredMs !== undefined && endedMs !== undefined) talk.observe({ direction }, (endedMs - answeredMs) / 1000);
    if (answeredMs !== undefined) setup.observe({ direction }, (answeredMs - startedMs) / 1000);
    if (!quality) return;
    lost.inc(quality.packetsLost);
    received.inc(quality.packetsReceived);
    if (quality.packetsReceived > 0) score.observe(quality.mos);
  }

  const counted: KindTable<JournalEntry, [CallRecord], void> = {
    started: ({ direction }) => started.inc({ direction }),
    state({ state }, record) {
      if (state === 'disconnected' || state === 'failed') endCall(record);
    },
    left({ verb, outcome, fault }) {
      if (fault) faults.inc({ code: fault.code });
      steps.inc({ verb, outcome: firstWord(outcome) });
    },
    bridge: ({ state }) => bridges.inc({ state }),
    recording: ({ state }) => recordings.inc({ state }),
    stream: ({ state }) => streams.inc({ state }),
    refused: ({ command, refusal }) => refused.inc({ command, why: refusal }),
    ended: ({ reason }) => ends.inc({ reason }),
  };

  return {
    add: (source) => void sources.push(source),
    watchRooms(read) {
      sources.push(roomFigures(read));
      return createRoomMetrics(registry);
    },
    countEntry: (entry, record) => forKind(counted, entry)?.(entry, record),
    countRequest({ route, method, status, durationMs }) {
      requests.inc({ route, method, status: String(status) });
      requestTime.observe({ route }, durationMs / 1000);
    },
    countDelivery({ outcome, durationMs }) {
      deliveries.inc({ outcome });
      deliveryTime.observe(durationMs / 1000);
    },
    async read() {
      await refresh();
      const kept = sources.flatMap(({ figures }) => figures.map(expositionOf));
      return { contentType: registry.contentType, text: [await registry.metrics(), ...kept].join('\n') };
    },
  };
}

/** Outcomes named by authors, in menus, branches and webhooks, share one label, as interrupts do. */
const COMMON = new Set(
  (
    'done interrupted error collected exhausted recorded silence connected hangup limit completed failed machine human ' +
    'beep fax unknown transferred returned left ended full denied dequeued timeout abandoned open closed holiday started ok not_found ' +
    'no_agents sent refused continued chosen empty digits speech'
  ).split(' '),
);

function firstWord(outcome: string): string {
  if (outcome.startsWith('$')) return 'interrupt';
  const word = outcome.split('.')[0]!;
  return COMMON.has(word) ? word : 'other';
}
