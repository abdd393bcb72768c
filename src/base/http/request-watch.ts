/**
 * Counts the responses to requests of flows by host, and logs failures, which flows handle and operators would not
 * notice otherwise. `flow-http-client.ts` sends the requests.
 *
 * Invariants
 *  - at most `MAX_HOSTS` hosts have their own counts, because flows can compute addresses; the rest are `other`;
 *  - the log has at most one line for each host and minute, and neither paths nor bodies.
 */
import type { Clock } from '../core/clock.ts';
import { type FigureSource, Tally } from '../core/figures.ts';
import type { HttpReply } from '../core/http-exchange.ts';
import type { Log } from '../core/log.ts';

const MAX_HOSTS = 100;
const OTHER = 'other';
const LINE_EVERY_MS = 60_000;
const RESULTS = ['ok', 'not_found', '4xx', '5xx', 'timeout', 'network', 'refused', 'too_large', 'invalid'] as const;

type Result = (typeof RESULTS)[number];

interface Host {
  results: Tally<Result>;
  /** Failures since the last line in the log. */
  failures: number;
  lineMs: number;
}

export class RequestWatch implements FigureSource {
  readonly #hosts = new Map<string, Host>();
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'warn'>;
  readonly figures = [
    {
      name: 'requests_total',
      type: 'counter' as const,
      help: 'Requests of flows, by host and result',
      labels: ['host', 'result'],
      read: () => [...this.#hosts].flatMap(([host, { results }]) => results.readings('result', { host })),
    },
  ];

  constructor({ clock, log }: { clock: Clock; log: Pick<Log, 'warn'> }) {
    this.#clock = clock;
    this.#log = log;
  }

  answered(name: string, reply: HttpReply): void {
    const host = this.#hostOf(name);
    const result = resultOf(reply);
    if (result === undefined) return;
    host.results.add(result);
    if (result === 'ok' || result === 'not_found') return;
    host.failures += 1;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < host.lineMs + LINE_EVERY_MS) return;
    const why = reply.ok ? `it answered ${reply.status}` : reply.message;
    this.#log.warn('request.failed', { host: name.slice(0, 253), result, why, failures: host.failures });
    host.failures = 0;
    host.lineMs = nowMs;
  }

  #hostOf(name: string): Host {
    const key = this.#hosts.has(name) || this.#hosts.size < MAX_HOSTS ? name : OTHER;
    const known = this.#hosts.get(key);
    if (known) return known;
    const made = { results: new Tally(RESULTS), failures: 0, lineMs: Number.NEGATIVE_INFINITY };
    this.#hosts.set(key, made);
    return made;
  }
}

function resultOf(reply: HttpReply): Result | undefined {
  if (!reply.ok) return reply.reason === 'unknown' ? undefined : reply.reason;
  if (reply.status === 404) return 'not_found';
  if (reply.status >= 500) return '5xx';
  return reply.status >= 300 ? '4xx' : 'ok';
}
