/**
 * Permits to dial of one node among several: requests a few calls ahead from the gate, and holds a broadcast until the
 * gate has answered. The limiters of `dialler.ts` apply too, for this node alone.
 */
import type { Clock, Timer } from '../../../base/core/clock.ts';
import type { Log } from '../../../base/core/log.ts';
import type { DialGate, DialLane } from './dial-gate.ts';
import type { FairShareLimiter } from './fair-share-limiter.ts';

/** Maximum permits per request of one broadcast. */
const MOST = 32;
/** Validity of a permit, in ms. */
const VALID_MS = 1000;
/** Interval of the reports of this node's live calls; the gate considers a report valid for three seconds. */
const REPORT_MS = 1000;
/** Delay before the next request if the gate gave none. */
const ASK_AGAIN_MS = 100;
const LEAST_WAIT_MS = 20;

interface Lane {
  limiter: FairShareLimiter;
  lanes(): DialLane[];
  count: number;
  untilMs: number;
  isAsking: boolean;
}

export class DialPermits {
  readonly #gate: DialGate;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #known = new Map<FairShareLimiter, Lane>();
  #report: Timer | undefined;

  constructor({ gate, clock, log }: { gate: DialGate; clock: Clock; log: Log }) {
    this.#gate = gate;
    this.#clock = clock;
    this.#log = log;
  }

  /** `lanes`: from the service down to the broadcast of this limiter, with the calls of this node. */
  open(limiter: FairShareLimiter, lanes: () => DialLane[]): void {
    this.#known.set(limiter, { limiter, lanes, count: 0, untilMs: 0, isAsking: false });
    this.#report ??= this.#clock.after(REPORT_MS, () => this.#reportAll());
  }

  close(limiter: FairShareLimiter): void {
    this.#known.delete(limiter);
    if (this.#known.size > 0) return;
    this.#report?.cancel();
    this.#report = undefined;
  }

  /**
   * Uses a permit for one of `atHand` calls. False if there is none now; the limiter gets a turn when there may be one.
   */
  take(limiter: FairShareLimiter, atHand: number): boolean {
    const lane = this.#known.get(limiter);
    if (!lane) return false;
    if (lane.count > 0 && lane.untilMs > this.#clock.monotonicMs()) {
      lane.count--;
      return true;
    }
    if (!lane.isAsking) void this.#ask(lane, Math.min(MOST, Math.max(1, atHand)));
    return false;
  }

  /** Returns an unused permit. */
  giveBack(limiter: FairShareLimiter): void {
    const lane = this.#known.get(limiter);
    if (lane) lane.count++;
  }

  async #ask(lane: Lane, most: number): Promise<void> {
    lane.isAsking = true;
    lane.limiter.hold();
    const askedMs = this.#clock.monotonicMs();
    const { granted, waitMs } = await this.#gate.grant(lane.lanes(), most).catch((error) => {
      this.#log.warn('broadcast.gate_failed', { error });
      return { granted: 0, waitMs: VALID_MS };
    });
    lane.count = granted;
    lane.untilMs = askedMs + VALID_MS;
    const release = (): void => {
      lane.isAsking = false;
      lane.limiter.letGo();
    };
    if (granted > 0) release();
    else this.#clock.after(Math.max(LEAST_WAIT_MS, waitMs || ASK_AGAIN_MS), release);
  }

  #reportAll(): void {
    this.#report = this.#clock.after(REPORT_MS, () => this.#reportAll());
    for (const { lanes } of this.#known.values()) {
      this.#gate.grant(lanes(), 0).catch((error) => this.#log.warn('broadcast.gate_failed', { error }));
    }
  }
}
