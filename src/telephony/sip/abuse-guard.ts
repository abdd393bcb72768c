/**
 * Cheap defence against scanners: a connection that sends much rubbish is not listened to for the rest of the second,
 * rubbish in datagrams is not answered any more; a source that fails to authenticate again and again is not listened to
 * for a minute, and where it fails for one user, that user is not listened to from there, whoever else may call from the
 * same address. Each source is reported once.
 * Invariants: memory is bounded; whom we know (`isKnown`) is never shut out; nothing that the sender of a forged datagram
 * can do shuts out whose address it bears: of datagrams only wrong answers to a nonce that was given to that very source
 * count (see `auth.ts`).
 */
import type { Clock } from '../../core/clock.ts';
import { sourceKey } from '../../core/source-key.ts';
import { WindowCounter } from '../../core/window-counter.ts';
import { type Peer, rateLimitKey } from './transport.ts';

export const MALFORMED_PER_SECOND = 20;
export const FAILED_LOGINS_PER_MINUTE = 30;
export const FAILED_LOGINS_OF_USER = 10;
const GUESSING_MS = 60_000;
const SOURCES_LIMIT = 10_000;

export class AbuseGuard {
  readonly counts = { packets: 0, malformed: 0, dropped: 0, crashed: 0 };
  readonly #isKnown: (peer: Peer) => boolean;
  /** By source, datagrams apart. */
  readonly #malformed: WindowCounter;
  /** Wrong passwords by source, and by source and user. */
  readonly #failures: WindowCounter;
  readonly #guesses: WindowCounter;
  readonly #reported = new Set<string>();

  constructor(clock: Clock, isKnown: (peer: Peer) => boolean) {
    this.#isKnown = isKnown;
    this.#malformed = new WindowCounter(clock, { windowMs: 1000, maxKeys: SOURCES_LIMIT });
    this.#failures = new WindowCounter(clock, { windowMs: GUESSING_MS, maxKeys: SOURCES_LIMIT });
    this.#guesses = new WindowCounter(clock, { windowMs: GUESSING_MS, maxKeys: SOURCES_LIMIT });
  }

  /** Whether a packet of this source is read at all. */
  admits(peer: Peer): boolean {
    this.counts.packets++;
    const isShutOut = this.isBanned(peer.host) || (peer.transport !== 'udp' && !this.answersMalformed(peer));
    if (!isShutOut || this.#isKnown(peer)) return true;
    this.counts.dropped++;
    return false;
  }

  malformed(peer: Peer): void {
    this.counts.malformed++;
    this.#malformed.add(rateLimitKey(peer));
  }

  /** Whether who sends what cannot be read is told so. */
  answersMalformed(peer: Peer): boolean {
    return this.#malformed.isEmpty || this.#malformed.count(rateLimitKey(peer)) < MALFORMED_PER_SECOND;
  }

  /** Only for a source that is certain: over datagrams, one that answered what was sent to it. */
  failedLogin(host: string, user: string): void {
    this.#failures.add(sourceKey(host));
    this.#guesses.add(guessKey(host, user));
  }

  /** Wrong passwords came too often from there, for whomever. */
  isBanned(host: string): boolean {
    return !this.#failures.isEmpty && this.#failures.count(sourceKey(host)) >= FAILED_LOGINS_PER_MINUTE;
  }

  /** A wrong password was given too often from there for this user, a moment ago. */
  isGuessing(host: string, user: string): boolean {
    return this.#guesses.count(guessKey(host, user)) >= FAILED_LOGINS_OF_USER;
  }

  /** True the first time for this source and kind of trouble. */
  isFirstReport(host: string, kind: string): boolean {
    const key = `${kind}|${host}`;
    if (this.#reported.has(key)) return false;
    if (this.#reported.size >= SOURCES_LIMIT) this.#reported.clear();
    this.#reported.add(key);
    return true;
  }
}

const guessKey = (host: string, user: string): string => `${sourceKey(host)}|${user}`;
