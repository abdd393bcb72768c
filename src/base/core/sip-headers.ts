/**
 * Rules for SIP headers that authors, applications and the configuration may set: allowed names, allowed values and
 * size limits. All inputs are checked here: by the checker, the steps, the REST API, the configuration, and again by
 * the engine before it writes them.
 * Invariants
 *  - no value contains a line break or another control character, so that it cannot become a second header (header
 *    injection);
 *  - no header that the SIP stack writes can be set.
 */
import { isObject, type Json } from './json.ts';

/** Values by name. Received headers have lower-case names; headers to send keep the case in which they were written. */
export type SipHeaders = Readonly<Record<string, string>>;

/** Limits of one message. With the maximum, an INVITE has less than 2,500 bytes. */
export const SIP_HEADER_LIMITS = { count: 20, nameLength: 64, valueBytes: 512, allBytes: 1024 } as const;

/** RFC 3261 §25.1 `token`. */
const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;

const encoder = new TextEncoder();

const bytesOf = (text: string): number => encoder.encode(text).length;

const CONTROL = /[\x00-\x1f\x7f]/;

/** Headers of the stack, and the alternative for the author if there is one. */
const OWNED: Readonly<Record<string, string | undefined>> = {
  from: 'the number that is shown is the argument from',
  to: 'the party is the argument to',
  'p-asserted-identity': 'the number that is shown is the argument from',
  'p-preferred-identity': 'the number that is shown is the argument from',
  reason: 'the reason of an end is the argument cause',
  ...Object.fromEntries(
    [
      ...['via', 'call-id', 'cseq', 'contact', 'route', 'record-route', 'path', 'service-route', 'max-forwards'],
      ...['authorization', 'proxy-authorization', 'www-authenticate', 'proxy-authenticate', 'authentication-info'],
      ...['require', 'proxy-require', 'supported', 'unsupported', 'allow', 'allow-events', 'accept', 'accept-encoding'],
      ...['event', 'subscription-state', 'refer-to', 'referred-by', 'refer-sub', 'replaces', 'join', 'target-dialog'],
      ...['rack', 'rseq', 'session-expires', 'min-se', 'min-expires', 'expires', 'retry-after', 'timestamp', 'date'],
      ...['user-agent', 'server', 'mime-version', 'privacy', 'identity', 'warning', 'recv-info', 'info-package'],
    ].map((name) => [name, undefined]),
  ),
};

export interface HeaderProblem {
  /** Name of the header. Absent if the problem is of all headers together. */
  name?: string;
  what: 'name' | 'owned' | 'value' | 'size';
  message: string;
  hint?: string;
}

/** Returns the reason why no header of this name can be set. Undefined if it can. */
export function headerNameProblem(name: string): HeaderProblem | undefined {
  if (!TOKEN.test(name) || name.length > SIP_HEADER_LIMITS.nameLength) {
    const message = `this is not the name of a SIP header of at most ${SIP_HEADER_LIMITS.nameLength} characters`;
    return { name, what: 'name', message, hint: 'write letters, digits and -, such as X-Customer' };
  }
  const key = name.toLowerCase();
  if (key.length === 1) {
    const message = `${name} is a short form of another header`;
    return { name, what: 'owned', message, hint: 'write its long name, such as Subject' };
  }
  if (!Object.hasOwn(OWNED, key) && !key.startsWith('content-')) return undefined;
  const hint = OWNED[key] ?? 'use a header of your own, such as X-Customer';
  return { name, what: 'owned', message: `${name} is written by the SIP stack itself`, hint };
}

/**
 * Returns the reason why this cannot be the value of a header. The message does not contain the value, which may be
 * sensitive.
 */
export function headerValueProblem(name: string, value: string): HeaderProblem | undefined {
  if (CONTROL.test(value)) {
    return { name, what: 'value', message: `the value of ${name} has a line break or another control character` };
  }
  if (bytesOf(value) <= SIP_HEADER_LIMITS.valueBytes) return undefined;
  return { name, what: 'size', message: `the value of ${name} has more than ${SIP_HEADER_LIMITS.valueBytes} bytes` };
}

/**
 * Returns the headers that may be sent, and the problems of the others. A header without a value (missing, null, empty)
 * is not sent.
 */
export function readSipHeaders(written: Json | undefined): { headers: SipHeaders; problems: HeaderProblem[] } {
  const headers: Record<string, string> = {};
  const problems: HeaderProblem[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, given] of Object.entries(isObject(written) ? written : {})) {
    const value = textOf(given);
    const problem =
      headerNameProblem(name) ??
      (value === undefined
        ? { name, what: 'value' as const, message: `the value of ${name} is neither a text nor a number` }
        : headerValueProblem(name, value));
    if (problem) problems.push(problem);
    else if (seen.has(name.toLowerCase())) {
      problems.push({ name, what: 'name', message: `${name} is given twice`, hint: 'write one value, with commas' });
    } else {
      seen.add(name.toLowerCase());
      if (!value) continue;
      bytes += name.length + bytesOf(value) + ': \r\n'.length;
      if (bytes <= SIP_HEADER_LIMITS.allBytes && seen.size <= SIP_HEADER_LIMITS.count) headers[name] = value.trim();
    }
  }
  if (bytes > SIP_HEADER_LIMITS.allBytes || seen.size > SIP_HEADER_LIMITS.count) {
    const { count, allBytes } = SIP_HEADER_LIMITS;
    problems.push({ what: 'size', message: `these are more than ${count} headers or ${allBytes} bytes` });
  }
  return { headers, problems };
}

function textOf(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** The headers as if received from the network: names in lower case. */
export const asReceived = (headers: SipHeaders): SipHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Undefined if there are no headers, for optional fields. */
export const someHeaders = (headers: SipHeaders | undefined): SipHeaders | undefined =>
  headers === undefined || Object.keys(headers).length === 0 ? undefined : headers;

/** Replaces the values of these headers (lower-case names) by the mask. */
export function maskHeaders(headers: SipHeaders, hidden: readonly string[], mask: string): SipHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, hidden.includes(name.toLowerCase()) ? mask : value]),
  );
}
