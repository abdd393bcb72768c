/**
 * Headers between host and network: which headers of a message the host may read, and how headers that it sets are
 * written. `base/core/sip-headers.ts` defines which may be set.
 *
 * Invariants
 *  - headers from the network are bounded, and have no control characters when the host receives them;
 *  - the caller's identity is accepted only from a carrier: from other peers P-Asserted-Identity is not read (RFC 3325
 *    §9.1).
 */
import { decodeText, encodeText } from '../../../base/core/byte-text.ts';
import { readSipHeaders, type SipHeaders, someHeaders } from '../../../base/core/sip-headers.ts';
import type { HeaderLine, Headers } from './message.ts';

/** Read in addition to headers that start with `x-`: RFC 7433, 5806, 7044 and 3325. */
const ALWAYS_READ = ['user-to-user', 'diversion', 'history-info', 'subject', 'p-asserted-identity'];
const TRUSTED_ONLY = ['p-asserted-identity'];

/** Limits for one message. Headers above them are not read. */
const READ_LIMITS = { count: 32, nameLength: 64, valueLength: 1024, allLength: 8192 } as const;

/** `isTrusted`: a carrier sent the message. Repeated headers are joined with commas (RFC 3261 §7.3.1). */
export type ReadHeaders = (message: { headers: Headers }, isTrusted: boolean) => SipHeaders | undefined;

/** `also`: header names of the configuration. */
export function headerReader(also: readonly string[] = []): ReadHeaders {
  const names = new Set([...ALWAYS_READ, ...also.map((name) => name.toLowerCase())]);
  return ({ headers }, isTrusted) => {
    const found: Record<string, string> = {};
    let count = 0;
    let length = 0;
    for (const name in headers) {
      const lines = headers[name];
      if (!lines || !(name.startsWith('x-') || names.has(name)) || name.length > READ_LIMITS.nameLength) continue;
      if (!isTrusted && TRUSTED_ONLY.includes(name)) continue;
      const value = receivedText(lines);
      count += 1;
      length += name.length + value.length;
      if (count > READ_LIMITS.count || length > READ_LIMITS.allLength) break;
      found[name] = value;
    }
    return someHeaders(found);
  };
}

const receivedText = (lines: readonly string[]): string =>
  decodeText(lines.join(', '))
    .replace(/[\x00-\x1f\x7f]+/g, ' ')
    .trim()
    .slice(0, READ_LIMITS.valueLength);

/**
 * Returns header lines with one character for each byte of UTF-8. Headers that must not be sent are left out, although
 * the callers have checked them.
 */
export function headerLines(headers: SipHeaders | undefined): HeaderLine[] {
  if (headers === undefined) return [];
  return Object.entries(readSipHeaders(headers).headers).map(([name, value]) => [name, encodeText(value)]);
}

/** Headers of a route are sent with every call, and are not replaced by those of the call. */
export function inviteLines(ofRoute: SipHeaders | undefined, ofCall: SipHeaders | undefined): HeaderLine[] {
  const fixed = headerLines(ofRoute);
  const taken = new Set(fixed.map(([name]) => name.toLowerCase()));
  return [...fixed, ...headerLines(ofCall).filter(([name]) => !taken.has(name.toLowerCase()))];
}
