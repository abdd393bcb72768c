/**
 * Common parts of all header parsers: quoted strings, parameters, lists (RFC 3261 §25.1). Text has one character per
 * byte (latin1), so that it can be echoed unchanged.
 * Takes linear time (no expression here can match one text in two ways), returns `undefined` for malformed text, never
 * throws.
 */

/** Parameters by lower-case name; without prototype, because names come from the network. */
export type Params = Record<string, string>;

export const newParams = (): Params => Object.create(null) as Params;

/** The content of a quoted string, unescaped; other text unchanged. */
export const unquote = (text: string): string =>
  text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/gs, '$1') : text;

const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;

/** RFC 3261 §25.1 `token`. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** Decimal digits only, at most `limit`; undefined otherwise. */
export function parseNumber(text: string, limit: number): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  return value <= limit ? value : undefined;
}

const LIST_VALUE = /(?:"(?:[^"\\]|\\.)*"|".*|<[^>]*>?|[^",<])+/gs;

/**
 * The values of a comma-separated header; commas in quotes and angle brackets do not separate. Empty values are
 * dropped.
 */
export function splitList(text: string): string[] {
  const values = text.includes(',') ? (text.match(LIST_VALUE) ?? []) : [text];
  return values.map((value) => value.trim()).filter((value) => value !== '');
}

const PARAM = /;[ \t]*([^;,= \t]+)[ \t]*(?:=[ \t]*("(?:[^"\\]|\\.)*"|(?!")[^;, \t]*)[ \t]*)?/sy;

/** Parses `;name=value;flag` from `from` to the end. The first of several parameters with one name counts. */
export function parseParams(text: string, from: number): Params | undefined {
  const params = newParams();
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  while (at < text.length) {
    PARAM.lastIndex = at;
    const match = PARAM.exec(text);
    if (!match) return undefined;
    params[match[1]!.toLowerCase()] ??= unquote(match[2] ?? '');
    at = PARAM.lastIndex;
  }
  return params;
}

/** Splits a value from its parameters, which are `undefined` if they are malformed. */
export function splitParams(text: string, from = 0): { value: string; params: Params | undefined } {
  const semicolon = text.indexOf(';', from);
  const end = semicolon < 0 ? text.length : semicolon;
  return { value: text.slice(from, end), params: parseParams(text, end) };
}
