/**
 * The clock of this machine against that of Redis, which all nodes share: compared at each renewal of the lease. Nodes sign
 * requests for each other with the time (`forward-signature.ts`), and refuse one whose time is too far from theirs.
 *
 * Invariant: where it is the clock of Redis that is wrong, the nodes agree with each other, and none of them is off.
 */
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type NotReady, remedyOf } from '../core/not-ready.ts';

/** A clock set by NTP is within a fraction of a second. */
export const CLOCK_WARNING_MS = 5000;
/** Signatures of nodes hold for so long: a node that is further off takes no new calls. */
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

  /** How far this clock is ahead of that of Redis, at least; negative: behind. Undefined until they were compared. */
  get offsetMs(): number | undefined {
    return this.#offsetMs;
  }

  get problem(): NotReady | undefined {
    return this.#verdict === 'off' ? { why: 'clock_off', sinceMs: this.#offSinceMs } : undefined;
  }

  /**
   * `read`: the time of the store, and the moments of this clock between which it was read: within them there is no
   * difference. `others`: how far the clocks of the other nodes are ahead of the same store.
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
