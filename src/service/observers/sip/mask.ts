/**
 * Masks the secrets of a SIP message: digests, SRTP keys, DTMF digits, passwords in URIs, and configured headers.
 * Bodies keep their length, so that Content-Length stays correct.
 */

/** RFC 3261 §22.4, §20.7; RFC 8760. Data with which an attacker can guess a password offline. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'authentication-info', 'proxy-authentication-info'];
const DIGESTS = /\b(response|rspauth|cnonce)(\s*=\s*)("[^"]*"|[^\s,;]+)/gi;
/** Keys in session descriptions: RFC 4568, RFC 4566 §5.12, RFC 4567, RFC 8839. */
const KEY_LINES = /^(a=crypto:[ \t]*\d+[ \t]+\S+[ \t]+|k=|a=key-mgmt:|a=ice-pwd:)(.*)$/gim;
const SDP_KEY = /inline:[^|;\s]+/gi;
/** INFO bodies that carry DTMF digits. */
const SIGNAL = /^([ \t]*signal[ \t]*=[ \t]*)([^\r\n]*)/gim;
const MASK = '***';

export type SipMask = (text: string) => string;

/** `secretHeaders`: names, case-insensitive. */
export function createSipMask(secretHeaders: readonly string[] = []): SipMask {
  const secret = new Set(secretHeaders.map((name) => name.toLowerCase()));
  return (text) => {
    const end = /\r?\n\r?\n/.exec(text);
    const split = end ? end.index + end[0].length : text.length;
    const head = text.slice(0, split);
    return maskHead(head, secret) + maskBody(text.slice(split), head);
  };
}

function maskHead(head: string, secret: ReadonlySet<string>): string {
  // A header including its continuation lines (RFC 3261 §7.3.1).
  const masked = head.replace(/^([^\s:]+)([ \t]*:)([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)/gm, (line, name, colon, value) => {
    const key = name.toLowerCase();
    if (secret.has(key)) return `${name}${colon} ${MASK}`;
    return CREDENTIALS.includes(key) ? `${name}${colon}${maskCredentials(value)}` : line;
  });
  // Split at `@` first, because an unanchored pattern takes quadratic time.
  const pieces = masked.split('@');
  const last = pieces.pop()!;
  return [...pieces.map(withoutPassword), last].join('@');
}

/** `<sip:alice:secret`, the text before an `@` (RFC 3261 §19.1.1). */
function withoutPassword(piece: string): string {
  const uriAt = Math.max(...[...' \t\n<"'].map((mark) => piece.lastIndexOf(mark))) + 1;
  const name = /^.*?\bsips?:[^:]*:/i.exec(piece.slice(uriAt))?.[0];
  return name === undefined ? piece : piece.slice(0, uriAt) + name + MASK;
}

function maskCredentials(value: string): string {
  const isDigest = /^\s*digest\s/i.test(value) || !/^\s*[A-Za-z]+\s+\S+\s*$/.test(value);
  if (isDigest) return value.replace(DIGESTS, `$1$2"${MASK}"`);
  // Basic, Bearer: the whole value is secret.
  return value.replace(/^(\s*[A-Za-z]+\s+).*$/s, `$1${MASK}`);
}

const stars = (text: string): string => '*'.repeat(text.length);

function maskBody(body: string, head: string): string {
  if (body === '') return body;
  const withoutKeys = body.replace(KEY_LINES, (line, name: string, value: string) =>
    name.toLowerCase().startsWith('a=crypto')
      ? `${name}${value.replace(SDP_KEY, (key) => `inline:${stars(key.slice('inline:'.length))}`)}`
      : line.slice(0, name.length) + stars(value),
  );
  return isInfo(head) ? maskKeys(withoutKeys, head) : withoutKeys;
}

const isInfo = (head: string): boolean => /^INFO\s/i.test(head);

/** Masks a body. In a body of another type the positions of digits are unknown: all digits are masked. */
function maskKeys(body: string, head: string): string {
  if (/^(?:content-type|c)[ \t]*:[ \t]*application\/dtmf-relay/im.test(head)) {
    return body.replace(SIGNAL, (_line, name: string, key: string) => name + stars(key));
  }
  return body.replace(/[0-9A-D*#]/gi, '*');
}
