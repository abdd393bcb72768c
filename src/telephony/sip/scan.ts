/**
 * The scanner for all header parsers: spaces, quoted strings, parameters, lists (RFC 3261 §25.1). Text has one
 * character per byte (latin1), so that it can be echoed unchanged.
 * Linear time, no regular expressions, `undefined` for malformed text, never throws.
 */

/** Parameters by lower-case name; without prototype, because names come from the network. */
export type Params = Record<string, string>;

const SPACE = 0x20;
const TAB = 0x09;
const QUOTE = 0x22;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const BACKSLASH = 0x5c;

export const newParams = (): Params => Object.create(null) as Params;

export const isSpace = (code: number): boolean => code === SPACE || code === TAB;

export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The index after the quoted string that opens at `from`; -1 if it never closes. */
export function afterQuoted(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return -1;
}

/** The content of a quoted string, unescaped; other text unchanged. */
export function unquote(text: string): string {
  if (text.length < 2 || text.charCodeAt(0) !== QUOTE) return text;
  let content = '';
  for (let at = 1; at < text.length - 1; at++) {
    if (text.charCodeAt(at) === BACKSLASH && at < text.length - 2) at++;
    content += text[at];
  }
  return content;
}

const TOKEN_CODES = new Set(
  [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.!%*_+`'~"].map((char) => char.charCodeAt(0)),
);
const TOKEN = new Uint8Array(256);
for (const code of TOKEN_CODES) TOKEN[code] = 1;

/** RFC 3261 §25.1 `token`. */
export function isToken(text: string): boolean {
  if (text.length === 0) return false;
  for (let at = 0; at < text.length; at++) if (TOKEN[text.charCodeAt(at)] !== 1) return false;
  return true;
}

/** Decimal digits only, at most `limit`; undefined otherwise. */
export function parseNumber(text: string, limit: number): number | undefined {
  if (text.length === 0 || text.length > 15) return undefined;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value <= limit ? value : undefined;
}

/**
 * The values of a comma-separated header; commas in quotes and angle brackets do not separate. Empty values are
 * dropped.
 */
export function splitList(text: string): string[] {
  if (!text.includes(',')) {
    const only = text.trim();
    return only === '' ? [] : [only];
  }
  const values: string[] = [];
  let start = 0;
  let bracketed = false;
  const take = (end: number) => {
    const value = text.slice(start, end).trim();
    if (value !== '') values.push(value);
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE && !bracketed) {
      const end = afterQuoted(text, at);
      if (end < 0) break;
      at = end - 1;
    } else if (code === LESS) bracketed = true;
    else if (code === GREATER) bracketed = false;
    else if (code === COMMA && !bracketed) {
      take(at);
      start = at + 1;
    }
  }
  take(text.length);
  return values;
}

/** Parses `;name=value;flag` from `from` to the end. Of two parameters with one name the first counts. */
export function parseParams(text: string, from: number): Params | undefined {
  const params = newParams();
  let at = skipSpaces(text, from);
  while (at < text.length) {
    if (text.charCodeAt(at) !== SEMICOLON) return undefined;
    at = skipSpaces(text, at + 1);
    const nameStart = at;
    while (at < text.length && !endsWord(text.charCodeAt(at)) && text.charCodeAt(at) !== EQUALS) at++;
    if (at === nameStart) return undefined;
    const name = text.slice(nameStart, at).toLowerCase();
    at = skipSpaces(text, at);
    let value = '';
    if (text.charCodeAt(at) === EQUALS) {
      const valueStart = skipSpaces(text, at + 1);
      at = valueStart;
      if (text.charCodeAt(at) === QUOTE) {
        at = afterQuoted(text, at);
        if (at < 0) return undefined;
        value = unquote(text.slice(valueStart, at));
      } else {
        while (at < text.length && !endsWord(text.charCodeAt(at))) at++;
        value = text.slice(valueStart, at);
      }
      at = skipSpaces(text, at);
    }
    if (params[name] === undefined) params[name] = value;
  }
  return params;
}

const endsWord = (code: number): boolean => code === SEMICOLON || code === COMMA || isSpace(code);
