/**
 * Session timers (RFC 4028): detect a far end that vanished without a BYE by a refresh that fails or does not come.
 * Roles are per request: `uac` sent the refresh, `uas` answered it.
 */
import type { Clock, Timer } from '../../core/clock.ts';
import { parseSeconds } from './headers.ts';
import { type HeaderLine, headerOf, names, type SipRequest, type SipResponse } from './message.ts';
import { splitParams } from './scan.ts';

export interface SessionTimerOptions {
  /** The interval we ask for, and the longest we accept (§4: 1800 is recommended). */
  expiresS: number;
  /** The shortest interval we accept (§4: not below 90). */
  minS: number;
}

export interface SessionTerms {
  expiresS: number;
  weRefresh: boolean;
}

/** Header lines of a request that begins or refreshes a session. */
export function timerHeaders(options: SessionTimerOptions, refreshing: boolean): HeaderLine[] {
  const refresher = refreshing ? ';refresher=uac' : '';
  return [
    ['Session-Expires', `${Math.max(options.expiresS, options.minS)}${refresher}`],
    ['Min-SE', String(options.minS)],
  ];
}

export type ServerTerms =
  | { kind: 'none' }
  | { kind: 'tooSmall'; headers: HeaderLine[] }
  | { kind: 'agreed'; terms: SessionTerms; headers: HeaderLine[] };

/** §9: a server's answer to INVITE or UPDATE. */
export function serverTerms(request: SipRequest, options: SessionTimerOptions): ServerTerms {
  const supported = names(request, 'supported', 'timer');
  const asked = readSessionExpires(request);
  if (!asked && !supported) return { kind: 'none' };
  if (asked && asked.expiresS < options.minS && supported) {
    return { kind: 'tooSmall', headers: [['Min-SE', String(options.minS)]] };
  }
  const floorS = Math.max(options.minS, parseSeconds(headerOf(request, 'min-se')) ?? 0);
  const expiresS = Math.max(floorS, Math.min(asked?.expiresS ?? options.expiresS, options.expiresS));
  const theyRefresh = asked !== undefined && supported && asked.refresher !== 'uas';
  const headers: HeaderLine[] = [['Session-Expires', `${expiresS};refresher=${theyRefresh ? 'uac' : 'uas'}`]];
  if (theyRefresh) headers.push(['Require', 'timer']);
  return { kind: 'agreed', terms: { expiresS, weRefresh: !theyRefresh }, headers };
}

/** §7.2: the agreement in the 2xx to our request; undefined: no timer. */
export function clientTerms(response: SipResponse): SessionTerms | undefined {
  const agreed = readSessionExpires(response);
  return agreed && { expiresS: agreed.expiresS, weRefresh: agreed.refresher !== 'uas' };
}

function readSessionExpires(message: SipRequest | SipResponse) {
  const text = headerOf(message, 'session-expires');
  if (text === undefined) return undefined;
  const { value, params } = splitParams(text);
  const expiresS = parseSeconds(value);
  return expiresS === undefined ? undefined : { expiresS, refresher: params?.['refresher'] };
}

/** The timers between refreshes. */
export class SessionTimer {
  readonly #clock: Clock;
  readonly #refresh: () => void;
  readonly #expired: () => void;
  #timers: Timer[] = [];

  constructor(clock: Clock, refresh: () => void, expired: () => void) {
    this.#clock = clock;
    this.#refresh = refresh;
    this.#expired = expired;
  }

  restart(terms: SessionTerms | undefined): void {
    this.stop();
    if (!terms) return;
    const { expiresS, weRefresh } = terms;
    // §10: the session is ended a little before the interval is over.
    const endS = expiresS - Math.min(32, expiresS / 3);
    this.#timers = [this.#clock.after(endS * 1000, this.#expired)];
    if (weRefresh) this.#timers.push(this.#clock.after((expiresS / 2) * 1000, this.#refresh));
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
  }
}
