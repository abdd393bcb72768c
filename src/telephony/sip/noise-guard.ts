/**
 * Cheap defence against scanners: a source that sends much rubbish is not listened to for the rest of the second, one that
 * fails to authenticate again and again for a minute; and where it fails for one user, that user is not listened to from
 * there, whoever else may call from the same address. Each source is reported once.
 * Invariants: memory is bounded; a source that we have calls with (`isKnown`) is never shut out, because addresses of
 * datagrams can be forged.
 */
import type { Clock } from '../../core/clock.ts';
import { householdOf } from '../../core/household.ts';

export const MALFORMED_PER_SECOND = 20;
export const FAILED_LOGINS_PER_MINUTE = 30;
export const FAILED_LOGINS_OF_USER = 10;
const GUESSING_MS = 60_000;
const SOURCES_LIMIT = 10_000;

interface Tally {
  malformedFromMs: number;
  malformed: number;
  failedFromMs: number;
  failed: number;
  knownAtMs: number;
  known: boolean;
}

export class NoiseGuard {
  readonly counts = { packets: 0, malformed: 0, dropped: 0, crashed: 0 };
  readonly #clock: Clock;
  readonly #isKnown: (host: string) => boolean;
  readonly #tallies = new Map<string, Tally>();
  readonly #reported = new Set<string>();
  /** Wrong passwords by source and user. */
  readonly #guesses = new Map<string, { fromMs: number; count: number }>();

  constructor(clock: Clock, isKnown: (host: string) => boolean) {
    this.#clock = clock;
    this.#isKnown = isKnown;
  }

  /** Whether a packet of this source is read at all. */
  admits(host: string): boolean {
    this.counts.packets++;
    const tally = this.#tallies.size === 0 ? undefined : this.#tallies.get(householdOf(host));
    if (!tally) return true;
    const nowMs = this.#clock.now();
    const noisy = tally.malformed >= MALFORMED_PER_SECOND && nowMs - tally.malformedFromMs < 1000;
    const guessing = tally.failed >= FAILED_LOGINS_PER_MINUTE && nowMs - tally.failedFromMs < 60_000;
    if ((!noisy && !guessing) || this.#knows(host, tally, nowMs)) return true;
    this.counts.dropped++;
    return false;
  }

  /** Asked once per second and source: the answer costs a look at all calls. */
  #knows(host: string, tally: Tally, nowMs: number): boolean {
    if (nowMs - tally.knownAtMs >= 1000) {
      tally.knownAtMs = nowMs;
      tally.known = this.#isKnown(host);
    }
    return tally.known;
  }

  malformed(host: string): void {
    this.counts.malformed++;
    const tally = this.#tally(host);
    const nowMs = this.#clock.now();
    if (nowMs - tally.malformedFromMs >= 1000) {
      tally.malformedFromMs = nowMs;
      tally.malformed = 0;
    }
    tally.malformed++;
  }

  failedLogin(host: string, user: string): void {
    const tally = this.#tally(host);
    const nowMs = this.#clock.now();
    this.#guessed(`${householdOf(host)}|${user}`, nowMs);
    if (nowMs - tally.failedFromMs >= 60_000) {
      tally.failedFromMs = nowMs;
      tally.failed = 0;
    }
    tally.failed++;
  }

  /** A wrong password was given too often from there for this user, a moment ago. */
  isGuessing(host: string, user: string): boolean {
    const guesses = this.#guesses.get(`${householdOf(host)}|${user}`);
    return (
      guesses !== undefined &&
      guesses.count >= FAILED_LOGINS_OF_USER &&
      this.#clock.now() - guesses.fromMs < GUESSING_MS
    );
  }

  #guessed(key: string, nowMs: number): void {
    const before = this.#guesses.get(key);
    this.#guesses.delete(key);
    if (this.#guesses.size >= SOURCES_LIMIT) this.#guesses.delete(this.#guesses.keys().next().value as string);
    const isOld = !before || nowMs - before.fromMs >= GUESSING_MS;
    this.#guesses.set(key, isOld ? { fromMs: nowMs, count: 1 } : { fromMs: before.fromMs, count: before.count + 1 });
  }

  /** True the first time for this source and kind of trouble. */
  isNews(host: string, kind: string): boolean {
    const key = `${kind}|${host}`;
    if (this.#reported.has(key)) return false;
    if (this.#reported.size >= SOURCES_LIMIT) this.#reported.clear();
    this.#reported.add(key);
    return true;
  }

  #tally(host: string): Tally {
    const household = householdOf(host);
    let tally = this.#tallies.get(household);
    if (!tally) {
      if (this.#tallies.size >= SOURCES_LIMIT) this.#tallies.delete(this.#tallies.keys().next().value as string);
      tally = {
        malformedFromMs: 0,
        malformed: 0,
        failedFromMs: 0,
        failed: 0,
        knownAtMs: Number.NEGATIVE_INFINITY,
        known: false,
      };
      this.#tallies.set(household, tally);
    }
    return tally;
  }
}
