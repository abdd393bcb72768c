/**
 * Cheap defence against scanners. A connection with too many malformed messages is ignored for the rest of the second;
 * malformed datagrams are then not answered. A source that fails to authenticate repeatedly is ignored for a minute;
 * where it fails for one user, only that user is ignored from there, because others may share the address. Each source
 * is reported once.
 *
 * Invariants
 *  memory is bounded; known peers (`isKnown`) are never banned;
 *  forged datagrams cannot ban the address they bear: of datagrams, only wrong answers to a nonce given to that very
 *  source count (see `auth.ts`).
 */
import type { Clock } from '../../core/clock.ts';
import { Tally } from '../../core/figures.ts';
import { sourceKey } from '../../core/source-key.ts';
import { WindowCounter } from '../../core/window-counter.ts';
import { type Peer, rateLimitKey } from './transport.ts';

export const MALFORMED_PER_SECOND = 20;
export const FAILED_LOGINS_PER_MINUTE = 30;
export const FAILED_LOGINS_OF_USER = 10;
const GUESSING_MS = 60_000;
const SOURCES_LIMIT = 10_000;

/** Why a call was refused before anybody was asked whether to take it. */
const INVITE_REFUSALS = [
  'draining',
  'rate_limit',
  'source_limit',
  'forbidden',
  'not_acceptable',
  'not_supported',
  'malformed',
  'loop',
  'not_replaceable',
  'store_away',
] as const;
export type InviteRefusal = (typeof INVITE_REFUSALS)[number];

export class AbuseGuard {
  readonly counts = { packets: 0, malformed: 0, dropped: 0, crashed: 0, wrongPasswords: 0 };
  readonly invitesRefused = new Tally(INVITE_REFUSALS);
  readonly #isKnown: (peer: Peer) => boolean;
  /** By source, datagrams apart from connections. */
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

  /** Whether packets of this source are parsed at all. */
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

  /** Whether malformed messages get a response. */
  answersMalformed(peer: Peer): boolean {
    return this.#malformed.isEmpty || this.#malformed.count(rateLimitKey(peer)) < MALFORMED_PER_SECOND;
  }

  /** Only for a verified source: over datagrams, one that answered our challenge. */
  failedLogin(host: string, user: string): void {
    this.counts.wrongPasswords++;
    this.#failures.add(sourceKey(host));
    this.#guesses.add(guessKey(host, user));
  }

  /** Too many wrong passwords came from there, for any users. */
  isBanned(host: string): boolean {
    return !this.#failures.isEmpty && this.#failures.count(sourceKey(host)) >= FAILED_LOGINS_PER_MINUTE;
  }

  /** Too many wrong passwords came from there for this user recently. */
  isGuessing(host: string, user: string): boolean {
    return this.#guesses.count(guessKey(host, user)) >= FAILED_LOGINS_OF_USER;
  }

  /** True the first time for this source and kind of problem. */
  isFirstReport(host: string, kind: string): boolean {
    const key = `${kind}|${host}`;
    if (this.#reported.has(key)) return false;
    if (this.#reported.size >= SOURCES_LIMIT) this.#reported.clear();
    this.#reported.add(key);
    return true;
  }
}

const guessKey = (host: string, user: string): string => `${sourceKey(host)}|${user}`;
