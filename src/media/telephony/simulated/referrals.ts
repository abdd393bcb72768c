/** REFER in both directions: to phones, and from phones. */
import type { Timer } from '../../../base/core/clock.ts';
import type { LegCommand } from '../../../base/core/leg.ts';
import type { ReferPlan } from './far-end.ts';
import type { LegChannel } from './leg-channel.ts';

type ReferCommand = Extract<LegCommand, { type: 'refer' }>;

/** A request without an answer fails after 64*T1 (RFC 3261 §17.1.2.2). */
const REFER_TIMEOUT_MS = 32_000;
const OK = 200;
const TIMED_OUT = 408;
/** There is no dialog yet (RFC 3261 §21.4.19). */
const NO_DIALOG = 481;

export class SimulatedReferrals {
  /** Reaction of the phone to a REFER. */
  plan: ReferPlan = { does: 'accept' };
  readonly #channel: LegChannel;
  readonly #hangUp: () => void;
  readonly #asked = new Map<string, Timer>();
  /** Referrals of the phone, by id; `stays`: it does not hang up after success. */
  readonly #wished = new Map<string, { stays: boolean }>();

  constructor(channel: LegChannel, hangUp: () => void) {
    this.#channel = channel;
    this.#hangUp = hangUp;
  }

  sendRefer({ referId, to, replacesLegId }: ReferCommand, isConnected: boolean): void {
    if (!isConnected) {
      this.#channel.emit({ type: 'refer_ended', referId, sipStatus: NO_DIALOG });
      return;
    }
    this.#channel.notice({ type: 'referred', to, ...(replacesLegId === undefined ? {} : { replaces: replacesLegId }) });
    const { plan } = this;
    const after = (delayMs: number, act: () => void): void => {
      this.#asked.set(referId, this.#channel.clock.after(delayMs, act));
    };
    if (plan.does === 'ignore') after(REFER_TIMEOUT_MS, () => this.#end(referId, TIMED_OUT));
    else if (plan.does === 'hang_up') after(plan.afterMs ?? 0, this.#hangUp);
    else after(plan.afterMs ?? 0, () => this.#end(referId, plan.does === 'refuse' ? plan.sipStatus : OK));
  }

  receiveRefer(
    referId: string,
    refer: { to: string; replacesLegId?: string; referredBy: string },
    stays: boolean,
  ): void {
    this.#wished.set(referId, { stays });
    this.#channel.emit({ type: 'referred', referId, ...refer });
  }

  /** Reports the progress of the phone's referral. */
  progress(referId: string, sipStatus: number): void {
    const refer = this.#wished.get(referId);
    if (!refer) return;
    this.#channel.notice({ type: 'refer_progress', sipStatus });
    if (sipStatus < OK) return;
    this.#wished.delete(referId);
    if (sipStatus < 300 && !refer.stays) this.#channel.clock.after(0, this.#hangUp);
  }

  /** The leg ends, and no results follow. */
  close(): void {
    this.#wished.clear();
    for (const referId of [...this.#asked.keys()]) this.#end(referId, TIMED_OUT);
  }

  #end(referId: string, sipStatus: number): void {
    this.#asked.get(referId)?.cancel();
    this.#asked.delete(referId);
    this.#channel.emit({ type: 'refer_ended', referId, sipStatus });
  }
}
