/**
 * Cheap defence against scanners. A connection with too many malformed messages is ignored for the rest of the second;
 * malformed datagrams are then not answered. A source that fails to authenticate repeatedly is banned for a minute; if
 * it fails for one user only, only that user is banned from that source, because others may share the address. Each
 * source is logged once.
 *
 * Invariants
 *  - memory is bounded; known peers (`isKnown`) are never banned;
 *  - forged datagrams cannot ban the address that they carry: for datagrams, only wrong responses to a nonce that was
 *    sent to that source count (see `auth.ts`).
 */
import type { Clock } from '../../../base/core/clock.ts';
import { Tally } from '../../../base/core/figures.ts';
import { sourceKey } from '../../../base/core/source-key.ts';
import { WindowCounter } from '../../../base/core/window-counter.ts';
import { type Peer, rateLimitKey } from './transport.ts';

export const MALFORMED_PER_SECOND = 20;
export const FAILED_LOGINS_PER_MINUTE = 30;
export const FAILED_LOGINS_OF_USER = 10;
const GUESSING_MS = 60_000;
const SOURCES_LIMIT = 10_000;

/** Reasons for which an INVITE is refused before the host is informed of the call. */
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
  /** By source, with datagrams and connections counted separately. */
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

  /** True if packets of this source are parsed. */
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

  /** True if malformed messages get a response. */
  answersMalformed(peer: Peer): boolean {
    return this.#malformed.isEmpty || this.#malformed.count(rateLimitKey(peer)) < MALFORMED_PER_SECOND;
  }

  /** Counts a wrong password. Only for a verified source: for datagrams, one that responded to a challenge. */
  failedLogin(host: string, user: string): void {
    this.counts.wrongPasswords++;
    this.#failures.add(sourceKey(host));
    this.#guesses.add(guessKey(host, user));
  }

  /** True if the source sent too many wrong passwords, for any users. */
  isBanned(host: string): boolean {
    return !this.#failures.isEmpty && this.#failures.count(sourceKey(host)) >= FAILED_LOGINS_PER_MINUTE;
  }

  /** True if the source recently sent too many wrong passwords for this user. */
  isGuessing(host: string, user: string): boolean {
    return this.#guesses.count(guessKey(host, user)) >= FAILED_LOGINS_OF_USER;
  }

  /** True on the first call for this source and kind of problem. */
  isFirstReport(host: string, kind: string): boolean {
    const key = `${kind}|${host}`;
    if (this.#reported.has(key)) return false;
    if (this.#reported.size >= SOURCES_LIMIT) this.#reported.clear();
    this.#reported.add(key);
    return true;
  }
}

const guessKey = (host: string, user: string): string => `${sourceKey(host)}|${user}`;
