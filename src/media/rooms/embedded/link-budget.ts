/**
 * Bandwidth estimation of one subscriber's link, from the feedback of its browser: its estimate (REMB), which follows
 * the received rate, exceeds it by at most half, and drops as soon as packets queue up; and the reported loss. An
 * estimate below the sent rate alone does not mean congestion: it grows slowly after the rate was raised.
 *
 * Invariants
 *  - there is no limit until congestion is detected;
 *  - the budget falls at once, but at most once in `SETTLING_MS`, so that feedback on earlier packets does not count
 *    twice; it never falls from a good layer to no video in one step;
 *  - the budget rises only to what the estimate allows, or to what a probe has shown: padding at the rate that would be
 *    sent. After each failed probe the pause before the next one doubles.
 */
import type { Clock } from '../../../base/core/clock.ts';
import { LossWindow, type ReportedStream } from './loss-window.ts';

/** Window in which the estimate is compared with earlier ones. */
const MEMORY_MS = 1000;
const NOTE_EVERY_MS = 50;
const SETTLING_MS = 1500;
/** Congested if the estimate fell below this share of its maximum in the window. */
const FALLEN = 0.93;
/** Congested if a low estimate does not grow by this factor in a second. */
const GROWING = 1.005;
/**
 * A browser that takes a late packet for a queue estimates 0.85 of what it receives, although all of it arrives. Only
 * an estimate below this share of the sent rate shows congestion.
 */
const BELOW = 0.8;
const FAR_BELOW = 0.65;
const CERTAIN_LOSS = 0.3;
const CERTAIN_MS = 3000;
const SOME_LOSS = 0.03;
/** Share of the received rate that is used if there is no estimate. */
const CAREFUL = 0.85;
/** Loss above this share means congestion. Random loss is lower. */
const FULL_LOSS = 0.18;
/** Additional loss during a probe that makes it fail. */
const PROBE_LOSS = 0.06;
const FRESH_MS = 1600;
const MARGIN = 0.95;
const LEAST_BITS = 20_000;
/** Sent rates above the lowest layers by more than this factor include more than the lowest layers. */
const ABOVE = 1.3;
/** Pause between a fall and the first rise. */
const CALM_MS = 3000;
const BETWEEN_RISES_MS = 1000;
const FIRST_WAIT_MS = 4000;
const MAX_WAIT_MS = 20_000;
const PROBE_MS = 1500;
const GROWN = 1.02;
/** Margin of a probe above the rate that is needed. */
const PROBE_MARGIN = 1.1;
/** A fall this soon after a rise counts as a failure of the rise. */
const BLAMED_MS = 8000;

export interface LinkLoad {
  /** Sent rate now, with padding, in bit/s. */
  sent: number;
  /** Rate of all requested layers, and of their lowest layers, in bit/s. */
  wished: number;
  least: number;
  /** Rate after the next better choice of layers, in bit/s. Undefined if there is none. */
  next: number | undefined;
}

interface Probe {
  bits: number;
  untilMs: number;
  /** Estimate and loss before the probe. */
  estimate: number | undefined;
  lost: number;
}

export class LinkBudget {
  readonly #clock: Clock;
  #estimates: { atMs: number; bits: number }[] = [];
  readonly #loss = new LossWindow();
  #budget: number | undefined;
  #fellMs = Number.NEGATIVE_INFINITY;
  #roseMs = Number.NEGATIVE_INFINITY;
  #triedMs = Number.NEGATIVE_INFINITY;
  #waitMs = FIRST_WAIT_MS;
  #probe: Probe | undefined;
  /** Time since which the estimate is far below the sent rate. */
  #lowSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Total bit/s that may be sent. Undefined: no limit. */
  get budget(): number | undefined {
    return this.#budget;
  }

  /** Target rate of the running probe, in bit/s. */
  get probe(): number | undefined {
    return this.#probe?.bits;
  }

  /** Undefined if no recent one exists: browsers send none while they receive no video. */
  get estimate(): number | undefined {
    const last = this.#estimates.at(-1);
    return last && this.#clock.monotonicMs() - last.atMs < FRESH_MS ? last.bits : undefined;
  }

  /** Records an estimate (REMB) of the subscriber's browser. */
  estimated(bits: number): void {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#estimates.at(-1);
    if (last && nowMs - last.atMs < NOTE_EVERY_MS) last.bits = bits;
    else this.#estimates.push({ atMs: nowMs, bits });
    // Keeps one older estimate for comparison.
    while ((this.#estimates[1]?.atMs ?? nowMs) < nowMs - MEMORY_MS) this.#estimates.shift();
  }

  reported(stream: ReportedStream): void {
    this.#loss.add(stream, this.#clock.monotonicMs());
  }

  /** Updates the budget. Called several times a second. */
  update(load: LinkLoad): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    // After a fall, earlier feedback has been acted on and is discarded.
    if (nowMs - this.#fellMs < SETTLING_MS) {
      this.#estimates = this.#estimates.slice(-1);
      this.#loss.restart();
    }
    if (nowMs - this.#fellMs >= SETTLING_MS && this.#isFull(load, nowMs)) this.#fall(load, nowMs);
    else if (this.#budget !== undefined) this.#rise(load, nowMs);
    return this.#budget;
  }

  #isFull({ sent, least }: LinkLoad, nowMs: number): boolean {
    const { estimate } = this;
    const lost = this.#loss.share(nowMs);
    const oldest = this.#estimates[0];
    const isStuck =
      oldest !== undefined && nowMs - oldest.atMs >= MEMORY_MS && (estimate ?? 0) <= oldest.bits * GROWING;
    const isLow = isStuck && estimate !== undefined && estimate < sent * FAR_BELOW;
    this.#lowSinceMs = isLow ? (this.#lowSinceMs ?? nowMs) : undefined;
    // The lowest layers are kept, unless it is certain that the link does not carry them.
    if (sent <= least * ABOVE && !this.#probe) {
      return lost > CERTAIN_LOSS || nowMs - (this.#lowSinceMs ?? nowMs) >= CERTAIN_MS;
    }
    if (lost > FULL_LOSS && (estimate === undefined || estimate < sent * 1.2)) return true;
    const most = Math.max(...this.#estimates.map(({ bits }) => bits));
    const hasFallen = (estimate ?? most) < most * FALLEN;
    if (this.#probe) {
      const isOver = nowMs >= this.#probe.untilMs;
      return lost > this.#probe.lost + PROBE_LOSS || hasFallen || (isOver && !this.#hasGrown(this.#probe));
    }
    if (estimate === undefined) return false;
    if (hasFallen && lost > SOME_LOSS && estimate < sent) return true;
    if (estimate >= sent * BELOW) return false;
    return hasFallen || isStuck;
  }

  /** During a probe more arrives: an estimate that does not rise indicates a queue. */
  #hasGrown({ bits, estimate }: Probe): boolean {
    const now = this.estimate;
    return now === undefined || now >= bits || now >= (estimate ?? 0) * GROWN;
  }

  #fall({ sent, least }: LinkLoad, nowMs: number): void {
    const lost = this.#loss.share(nowMs);
    const arrives = sent * (1 - lost);
    const isAboveLeast = sent > least * ABOVE;
    const wasTried = this.#probe !== undefined || nowMs - this.#roseMs < BLAMED_MS;
    if (wasTried) this.#waitMs = Math.min(MAX_WAIT_MS, this.#waitMs * 2);
    const carried = this.estimate === undefined ? arrives * CAREFUL : Math.min(this.estimate, arrives);
    // A failed probe does not reduce the rate that was carried before it.
    const known = this.#probe ? (this.#budget ?? carried) : carried * MARGIN;
    this.#budget = Math.max(known, isAboveLeast ? least : LEAST_BITS);
    this.#probe = undefined;
    this.#fellMs = nowMs;
    this.#lowSinceMs = undefined;
    this.#triedMs = nowMs;
  }

  #rise({ wished, next }: LinkLoad, nowMs: number): void {
    if (next === undefined || (this.#budget ?? 0) >= wished) {
      this.#probe = undefined;
      if (nowMs - this.#roseMs >= BLAMED_MS && nowMs - this.#fellMs >= BLAMED_MS) {
        this.#budget = undefined;
        this.#waitMs = FIRST_WAIT_MS;
      }
      return;
    }
    const isCalm = nowMs - this.#fellMs >= CALM_MS && nowMs - this.#roseMs >= BETWEEN_RISES_MS;
    if (this.#probe && nowMs >= this.#probe.untilMs) this.#riseTo(this.#probe.bits, nowMs);
    else if (isCalm && (this.estimate ?? 0) * MARGIN >= next * PROBE_MARGIN) this.#riseTo(next * PROBE_MARGIN, nowMs);
    else if (!this.#probe && isCalm && nowMs - Math.max(this.#triedMs, this.#roseMs) >= this.#waitMs) {
      this.#triedMs = nowMs;
      const lost = this.#loss.share(nowMs);
      this.#probe = { bits: next * PROBE_MARGIN, untilMs: nowMs + PROBE_MS, estimate: this.estimate, lost };
      this.#estimates = this.#estimates.slice(-1);
    }
  }

  #riseTo(bits: number, nowMs: number): void {
    this.#budget = Math.max(this.#budget ?? 0, bits);
    this.#roseMs = nowMs;
    this.#probe = undefined;
  }
}
