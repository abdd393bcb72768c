/**
 * Compares this machine's clock with that of Redis, which all nodes share, at each renewal of the lease. Nodes sign
 * requests to each other with a time stamp (`forward-signature.ts`), and refuse one that is too far from their own
 * time.
 *
 * Invariant: if the clock of Redis is wrong, the nodes agree with each other and none counts as off.
 */
import type { Clock } from '../../base/core/clock.ts';
import type { Log } from '../../base/core/log.ts';
import { type NotReady, remedyOf } from '../../base/core/not-ready.ts';

/** A clock synchronised by NTP is within a fraction of a second. */
export const CLOCK_WARNING_MS = 5000;
/** Validity of signatures between nodes: a node that is further off takes no new calls. */
export const CLOCK_OFF_MS = 30_000;

type Verdict = 'agrees' | 'differs' | 'off';

export class ClockComparison {
  readonly #clock: Clock;
  readonly #log: Log;
  #offsetMs: number | undefined;
  #verdict: Verdict = 'agrees';
  #offSinceMs = 0;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Minimum lead of this clock over that of Redis, in ms; negative if it is behind. Undefined until the first
   * comparison.
   */
  get offsetMs(): number | undefined {
    return this.#offsetMs;
  }

  get problem(): NotReady | undefined {
    return this.#verdict === 'off' ? { why: 'clock_off', sinceMs: this.#offSinceMs } : undefined;
  }

  /**
   * `read`: time of the store, and the times of this clock before and after the read; a store time between them counts
   * as no offset. `others`: offsets of the other nodes' clocks against the same store.
   */
  compare(read: { sentMs: number; storeMs: number; receivedMs: number }, others: readonly number[]): void {
    const { sentMs, storeMs, receivedMs } = read;
    this.#offsetMs = Math.round(Math.max(0, sentMs - storeMs) + Math.min(0, receivedMs - storeMs));
    const before = this.#verdict;
    this.#verdict = verdictOf(this.#offsetMs, others);
    if (this.#verdict === before) return;
    const fields = { offsetMs: this.#offsetMs };
    const remedy = remedyOf({ why: 'clock_off' });
    if (this.#verdict === 'off') this.#offSinceMs = this.#clock.now();
    if (this.#verdict === 'off') this.#log.error('cluster.clock_off', { ...fields, remedy });
    if (this.#verdict === 'differs') this.#log.warn('cluster.clock_differs', { ...fields, remedy });
    if (this.#verdict === 'agrees') this.#log.info('cluster.clock_agrees', fields);
  }
}

function verdictOf(offsetMs: number, others: readonly number[]): Verdict {
  const differenceMs = Math.abs(offsetMs);
  const isRefused = others.some((other) => Math.abs(offsetMs - other) >= CLOCK_OFF_MS);
  if (differenceMs >= CLOCK_OFF_MS && isRefused) return 'off';
  return differenceMs >= CLOCK_WARNING_MS ? 'differs' : 'agrees';
}
