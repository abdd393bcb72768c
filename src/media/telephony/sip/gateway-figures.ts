/**
 * Results of the calls to one gateway of one route, by which a carrier is judged: answer-seizure ratio, duration,
 * post-dial delay. `InviteClient` reports each attempt; `Carriers` keeps the figures as long as a route has the
 * gateway.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { Distribution, Tally } from '../../../base/core/figures.ts';

/** `failed`: the gateway accepted the call, but its answer could not be used. */
const RESULTS = ['2xx', '3xx', '4xx', '5xx', '6xx', 'timeout', 'unreachable', 'failed', 'cancelled'] as const;
export type GatewayResult = (typeof RESULTS)[number];

const POST_DIAL_SECONDS = [0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 12, 20, 30, 60];

export class GatewayFigures {
  readonly labels: { route: string; gateway: string };
  /** Calls that ring or are active at the gateway. */
  callsLive = 0;
  readonly results = new Tally(RESULTS);
  /** Seconds from the INVITE to the first sign of the called party: ringing, early media or the answer. */
  readonly postDialDelay = new Distribution(POST_DIAL_SECONDS);
  /** Total duration of answered calls that have ended. */
  talkSeconds = 0;

  constructor(labels: GatewayFigures['labels']) {
    this.labels = labels;
  }

  get key(): string {
    return `${this.labels.route} ${this.labels.gateway}`;
  }

  startAttempt(clock: Clock): GatewayAttempt {
    return new GatewayAttempt(this, clock);
  }
}

/** One call to a gateway, from its INVITE to its end. Repeated reports count once. */
export class GatewayAttempt {
  readonly #figures: GatewayFigures;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #state: 'trying' | 'alerting' | 'answered' | 'over' = 'trying';
  #answeredMs = 0;

  constructor(figures: GatewayFigures, clock: Clock) {
    this.#figures = figures;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    figures.callsLive++;
  }

  alerting(): void {
    if (this.#state !== 'trying') return;
    this.#state = 'alerting';
    this.#figures.postDialDelay.add(this.#secondsSince(this.#startedMs));
  }

  answered(): void {
    if (this.#isOver) return;
    this.alerting();
    this.#state = 'answered';
    this.#answeredMs = this.#clock.monotonicMs();
    this.#figures.results.add('2xx');
  }

  /** The call failed before the answer, with a final status or another reason. */
  failed(result: number | 'timeout' | 'unreachable' | 'failed' | 'cancelled'): void {
    if (this.#isOver || this.#state === 'answered') return;
    this.#end();
    this.#figures.results.add(typeof result === 'number' ? classOf(result) : result);
  }

  /** The call has ended. */
  ended(): void {
    if (this.#state !== 'answered') return;
    this.#end();
    this.#figures.talkSeconds += this.#secondsSince(this.#answeredMs);
  }

  get #isOver(): boolean {
    return this.#state === 'over';
  }

  #end(): void {
    this.#state = 'over';
    this.#figures.callsLive--;
  }

  #secondsSince(ms: number): number {
    return (this.#clock.monotonicMs() - ms) / 1000;
  }
}

function classOf(status: number): GatewayResult {
  if (status < 400) return '3xx';
  if (status < 500) return '4xx';
  return status < 600 ? '5xx' : '6xx';
}
