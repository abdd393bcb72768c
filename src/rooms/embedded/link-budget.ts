/**
 * What the link of one viewer carries, as far as its browser says: by its estimate (REMB), which follows what it receives,
 * at most half as much again, and falls as soon as packets queue up; and by what it reports as lost. An estimate below what
 * is sent alone means nothing: it grows slowly after more is sent.
 *
 * Invariants
 *  - as long as nothing is wrong there is no limit;
 *  - down at once, at most once in `SETTLING_MS`, so that what was sent before does not count twice; and never from a good
 *    picture to none at once;
 *  - up only by what the estimate allows, or by what a probe has shown: padding at the rate that would be sent. After each
 *    that fails the next one waits twice as long.
 */
import type { Clock } from '../../core/clock.ts';
import { LossWindow, type ReportedStream } from './loss-window.ts';

/** The window in which an estimate is compared with itself. */
const MEMORY_MS = 1000;
const NOTE_EVERY_MS = 50;
const SETTLING_MS = 1500;
/** An estimate that fell below that share of what it was has met a full link. */
const FALLEN = 0.93;
/** One that does not grow by that share in a second, too. */
const GROWING = 1.005;
/**
 * A browser that takes a late packet for a queue estimates 0.85 of what it receives, also where all arrives: only an
 * estimate below that share of what is sent says that some does not.
 */
const BELOW = 0.8;
const FAR_BELOW = 0.65;
const CERTAIN_LOSS = 0.3;
const CERTAIN_MS = 3000;
const SOME_LOSS = 0.03;
/** Of what arrives, where there is no estimate. */
const CAREFUL = 0.85;
/** Loss above that is of a full link. What is lost by chance is less. */
const FULL_LOSS = 0.18;
/** More than before it. */
const PROBE_LOSS = 0.06;
const FRESH_MS = 1600;
const MARGIN = 0.95;
const LEAST_BITS = 20_000;
/** More than that above the smallest layers is more than they alone. */
const ABOVE = 1.3;
/** Before the first rise after a fall. */
const CALM_MS = 3000;
const BETWEEN_RISES_MS = 1000;
const FIRST_WAIT_MS = 4000;
const LONGEST_WAIT_MS = 20_000;
const PROBE_MS = 1500;
const GROWN = 1.02;
/** A probe shows a little more than is needed then. */
const PROBE_MARGIN = 1.1;
/** A fall so soon after a rise is its fault. */
const BLAMED_MS = 8000;

export interface LinkLoad {
  /** bit/s that are sent now, with padding. */
  sent: number;
  /** bit/s of all that the viewer wishes, and of the smallest layers of it. */
  wished: number;
  least: number;
  /** bit/s after the next better choice of layers. Undefined: there is none. */
  next: number | undefined;
}

interface Probe {
  bits: number;
  untilMs: number;
  /** As they were before. */
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
  /** Since when the estimate is far below what is sent. */
  #lowSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** bit/s that all together may take. Undefined: no limit. */
  get budget(): number | undefined {
    return this.#budget;
  }

  /** bit/s to which the link is filled up now. */
  get probe(): number | undefined {
    return this.#probe?.bits;
  }

  /** Undefined: none came lately. Browsers send none while they receive no picture. */
  get estimate(): number | undefined {
    const last = this.#estimates.at(-1);
    return last && this.#clock.monotonicMs() - last.atMs < FRESH_MS ? last.bits : undefined;
  }

  /** As the viewer's browser says it. */
  estimated(bits: number): void {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#estimates.at(-1);
    if (last && nowMs - last.atMs < NOTE_EVERY_MS) last.bits = bits;
    else this.#estimates.push({ atMs: nowMs, bits });
    // One that is older stays, to compare with.
    while ((this.#estimates[1]?.atMs ?? nowMs) < nowMs - MEMORY_MS) this.#estimates.shift();
  }

  reported(stream: ReportedStream): void {
    this.#loss.add(stream, this.#clock.monotonicMs());
  }

  /** Looks again; several times a second. */
  update(load: LinkLoad): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    // What it fell to is known, and was answered.
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
    // The smallest pictures stay, unless it is certain that they are too much.
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

  /** During a probe more arrives: an estimate that does not follow has met a queue. */
  #hasGrown({ bits, estimate }: Probe): boolean {
    const now = this.estimate;
    return now === undefined || now >= bits || now >= (estimate ?? 0) * GROWN;
  }

  #fall({ sent, least }: LinkLoad, nowMs: number): void {
    const lost = this.#loss.share(nowMs);
    const arrives = sent * (1 - lost);
    const isAboveLeast = sent > least * ABOVE;
    const wasTried = this.#probe !== undefined || nowMs - this.#roseMs < BLAMED_MS;
    if (wasTried) this.#waitMs = Math.min(LONGEST_WAIT_MS, this.#waitMs * 2);
    const carried = this.estimate === undefined ? arrives * CAREFUL : Math.min(this.estimate, arrives);
    // A probe that failed takes nothing away from what was carried before it.
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
