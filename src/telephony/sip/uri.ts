/** SIP, SIPS and tel URIs (RFC 3261 §19.1, RFC 3966); any other scheme is kept opaque. */
import { newParams, type Params, parseNumber, parseParams } from './scan.ts';

export interface Uri {
  /** Lower-case: `sip`, `sips`, `tel` or another. */
  scheme: string;
  /** Unescaped; the number of a tel URI. */
  user: string | undefined;
  /** Lower-case; an IPv6 literal without its brackets. Empty when the scheme has none. */
  host: string;
  port: number | undefined;
  params: Params;
  /** The part after `?`, still escaped. */
  headers: string | undefined;
  text: string;
}

export function parseUri(text: string): Uri | undefined {
  const colon = text.indexOf(':');
  if (colon <= 0) return undefined;
  const scheme = text.slice(0, colon).toLowerCase();
  if (!isScheme(scheme) || hasSpace(text)) return undefined;
  if (scheme === 'tel') return parseTel(text, colon + 1);
  if (scheme !== 'sip' && scheme !== 'sips') {
    return { scheme, user: undefined, host: '', port: undefined, params: newParams(), headers: undefined, text };
  }
  const at = text.lastIndexOf('@');
  const hostStart = at < 0 ? colon + 1 : at + 1;
  let user: string | undefined;
  if (at >= 0) {
    const userInfo = text.slice(colon + 1, at);
    if (userInfo === '' || userInfo.includes('@')) return undefined;
    const password = userInfo.indexOf(':');
    user = unescaped(password < 0 ? userInfo : userInfo.slice(0, password));
    if (user === undefined) return undefined;
  }
  let hostEnd = hostStart;
  while (hostEnd < text.length && text[hostEnd] !== ';' && text[hostEnd] !== '?') hostEnd++;
  const place = parseHostPort(text.slice(hostStart, hostEnd));
  if (!place) return undefined;
  const question = text.indexOf('?', hostEnd);
  const params = parseParams(question < 0 ? text : text.slice(0, question), hostEnd);
  if (!params) return undefined;
  const headers = question < 0 ? undefined : text.slice(question + 1);
  return { scheme, user, host: place.host, port: place.port, params, headers, text };
}

function parseTel(text: string, start: number): Uri | undefined {
  const semicolon = text.indexOf(';', start);
  const end = semicolon < 0 ? text.length : semicolon;
  let number = '';
  for (let at = start; at < end; at++) {
    const char = text[at]!;
    if ('-.()'.includes(char)) continue;
    if (!'+0123456789abcdefABCDEF*#'.includes(char)) return undefined;
    number += char;
  }
  const params = parseParams(text, end);
  if (number === '' || !params) return undefined;
  return { scheme: 'tel', user: number, host: '', port: undefined, params, headers: undefined, text };
}

/** `host`, `host:port`, `[v6]`, `[v6]:port`. */
export function parseHostPort(text: string): { host: string; port: number | undefined } | undefined {
  let hostEnd: number;
  let host: string;
  if (text.startsWith('[')) {
    hostEnd = text.indexOf(']') + 1;
    host = text.slice(1, hostEnd - 1).toLowerCase();
    if (hostEnd === 0 || !isAddressText(host)) return undefined;
  } else {
    const colon = text.indexOf(':');
    hostEnd = colon < 0 ? text.length : colon;
    host = text.slice(0, hostEnd).toLowerCase();
    if (!isHostText(host)) return undefined;
  }
  if (hostEnd === text.length) return { host, port: undefined };
  if (text[hostEnd] !== ':') return undefined;
  const port = parseNumber(text.slice(hostEnd + 1), 65_535);
  return port === undefined || port === 0 ? undefined : { host, port };
}

/** The host as written in a URI or a Via: IPv6 literals in brackets. */
export const hostText = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Escapes characters that a user part must not contain (RFC 3261 §25.1 `user`). */
export function escapeUser(user: string): string {
  let escaped = '';
  for (const byte of Buffer.from(user, 'utf8')) {
    const char = String.fromCharCode(byte);
    escaped += /[A-Za-z0-9\-_.!~*'()&=+$,;?/]/.test(char)
      ? char
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

/** Resolves `%XX`; undefined for a stray percent sign. */
function unescaped(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isScheme(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const letter = code >= 0x61 && code <= 0x7a;
    if (!letter && (at === 0 || !((code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e))) {
      return false;
    }
  }
  return true;
}

function hasSpace(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20 || code === 0x7f || code === 0x3c || code === 0x3e || code === 0x22) return true;
  }
  return false;
}

function isHostText(host: string): boolean {
  if (host === '' || host.length > 255) return false;
  for (let at = 0; at < host.length; at++) {
    const code = host.charCodeAt(at);
    const good =
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x30 && code <= 0x39) ||
      code === 0x2d ||
      code === 0x2e ||
      code === 0x5f;
    if (!good) return false;
  }
  return true;
}

/** Lenient on purpose: RFC 5118 §4.10 shows peers that write three colons. */
function isAddressText(host: string): boolean {
  if (host.length < 2 || host.length > 60) return false;
  for (let at = 0; at < host.length; at++) {
    const code = host.charCodeAt(at);
    const good = (code >= 0x30 && code <= 0x3a) || (code >= 0x61 && code <= 0x66) || code === 0x2e;
    if (!good) return false;
  }
  return host.includes(':');
}
