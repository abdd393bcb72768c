/**
 * Session timers (RFC 4028): detect a far end that vanished without a BYE by a refresh that fails or does not arrive.
 * Roles are per request: `uac` sent the refresh, `uas` answered it.
 */
import { parseSeconds } from './headers.ts';
import { type HeaderLine, headerOf, names, type SipRequest, type SipResponse } from './message.ts';
import { splitParams } from './scan.ts';

export interface SessionTimerOptions {
  /** Interval that is requested, and the longest that is accepted (§4: 1800 is recommended). */
  expiresS: number;
  /** Shortest interval that is accepted (§4: not below 90). */
  minS: number;
}

export interface SessionTerms {
  expiresS: number;
  weRefresh: boolean;
}

/** Header lines of a request that starts or refreshes a session. */
export function timerHeaders(options: SessionTimerOptions, refreshing: boolean): HeaderLine[] {
  const refresher = refreshing ? ';refresher=uac' : '';
  return [
    ['Session-Expires', `${Math.max(options.expiresS, options.minS)}${refresher}`],
    ['Min-SE', String(options.minS)],
  ];
}

export interface ServerTerms {
  /** True if the requested interval is too short, which leads to a 422. */
  isTooShort: boolean;
  /** Undefined: no timer. */
  terms?: SessionTerms;
  /** Headers of the response. */
  headers: HeaderLine[];
}

/** §9: terms in a server's answer to INVITE or UPDATE. */
export function serverTerms(request: SipRequest, options: SessionTimerOptions): ServerTerms {
  const supported = names(request, 'supported', 'timer');
  const asked = readSessionExpires(request);
  if (!asked && !supported) return { isTooShort: false, headers: [] };
  if (asked && asked.expiresS < options.minS && supported) {
    return { isTooShort: true, headers: [['Min-SE', String(options.minS)]] };
  }
  const floorS = Math.max(options.minS, parseSeconds(headerOf(request, 'min-se')) ?? 0);
  const expiresS = Math.max(floorS, Math.min(asked?.expiresS ?? options.expiresS, options.expiresS));
  const theyRefresh = asked !== undefined && supported && asked.refresher !== 'uas';
  const headers: HeaderLine[] = [['Session-Expires', `${expiresS};refresher=${theyRefresh ? 'uac' : 'uas'}`]];
  if (theyRefresh) headers.push(['Require', 'timer']);
  return { isTooShort: false, terms: { expiresS, weRefresh: !theyRefresh }, headers };
}

/** §7.2: terms in the 2xx to a local request; undefined: no timer. */
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
