/** SIP, SIPS and tel URIs (RFC 3261 §19.1, RFC 3966); any other scheme is kept opaque. */
import { withoutMarks } from '../../../base/core/phone-number.ts';
import { newParams, type Params, parseNumber, parseParams, splitParams } from './scan.ts';

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

const SCHEME = /^[a-z][a-z0-9+.-]*$/;
/** Spaces, control characters, and delimiters of a URI. */
const NOT_IN_URI = /[\x00-\x20\x7f<>"]/;
const HOST_NAME = /^[a-z0-9._-]{1,255}$/;
/** Lenient on purpose: RFC 5118 §4.10 shows peers that write three colons. */
const IPV6_ADDRESS = /^(?=.*:)[0-9a-f:.]{2,60}$/;
const TEL_NUMBER = /^[+0-9a-fA-F*#]+$/;

export function parseUri(text: string): Uri | undefined {
  const colon = text.indexOf(':');
  if (colon <= 0) return undefined;
  const scheme = text.slice(0, colon).toLowerCase();
  if (!SCHEME.test(scheme) || NOT_IN_URI.test(text)) return undefined;
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
  const { value, params } = splitParams(text, start);
  const number = withoutMarks(value);
  if (!TEL_NUMBER.test(number) || !params) return undefined;
  return { scheme: 'tel', user: number, host: '', port: undefined, params, headers: undefined, text };
}

/** `host`, `host:port`, `[v6]`, `[v6]:port`. */
export function parseHostPort(text: string): { host: string; port: number | undefined } | undefined {
  let hostEnd: number;
  let host: string;
  if (text.startsWith('[')) {
    hostEnd = text.indexOf(']') + 1;
    host = text.slice(1, hostEnd - 1).toLowerCase();
    if (hostEnd === 0 || !IPV6_ADDRESS.test(host)) return undefined;
  } else {
    const colon = text.indexOf(':');
    hostEnd = colon < 0 ? text.length : colon;
    host = text.slice(0, hostEnd).toLowerCase();
    if (!HOST_NAME.test(host)) return undefined;
  }
  if (hostEnd === text.length) return { host, port: undefined };
  if (text[hostEnd] !== ':') return undefined;
  const port = parseNumber(text.slice(hostEnd + 1), 65_535);
  return port === undefined || port === 0 ? undefined : { host, port };
}

/**
 * Removes parameters of a telephone number from the user (RFC 3261 §19.1.6), such as `;npdi;rn=…` (RFC 4694), `;tgrp=…`
 * (RFC 4904), `;cpc=…`, `;phone-context=…`. Other users may contain a semicolon.
 */
export function withoutNumberParams(user: string): string {
  const end = user.indexOf(';');
  return end > 0 && /^\+?[\d*#().-]+$/.test(user.slice(0, end)) ? user.slice(0, end) : user;
}

const UNESCAPED = /^[A-Za-z0-9\-_.!~*'()&=+$,;?/]*$/;

/** Escapes characters that a user part must not contain (RFC 3261 §25.1 `user`). */
export function escapeUser(user: string): string {
  if (UNESCAPED.test(user)) return user;
  let escaped = '';
  for (const byte of Buffer.from(user, 'utf8')) {
    const char = String.fromCharCode(byte);
    escaped += UNESCAPED.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
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
