/** Text search with replacements. Pure; used by `editor-search.ts`. */

export interface Query {
  find: string;
  replace: string;
  matchCase: boolean;
  regexp: boolean;
  byWord: boolean;
}

export interface Match {
  from: number;
  to: number;
  /** Replacement text. */
  insert: string;
}

export const NO_QUERY: Query = { find: '', replace: '', matchCase: false, regexp: false, byWord: false };
const MOST = 10_000;
const LETTER = '[\\p{L}\\p{N}_]';

/** Undefined if the query is empty or is not a valid regular expression. */
export function patternOf({ find, matchCase, regexp, byWord }: Query): RegExp | undefined {
  if (find === '') return undefined;
  const source = regexp ? find : unquoted(find).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  try {
    return new RegExp(byWord ? `(?<!${LETTER})(?:${source})(?!${LETTER})` : source, matchCase ? 'gmu' : 'gimu');
  } catch {
    return undefined;
  }
}

/** All matches in `from`–`to`, in order. */
export function matchesIn(text: string, query: Query, from = 0, to = text.length): Match[] {
  const pattern = patternOf(query);
  if (pattern === undefined) return [];
  const insert = unquoted(query.replace);
  const found: Match[] = [];
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null && match.index < to; match = pattern.exec(text)) {
    const [written] = match;
    if (written === '') pattern.lastIndex += 1;
    else
      found.push({
        from: match.index,
        to: match.index + written.length,
        insert: query.regexp ? filled(insert, match) : insert,
      });
    if (found.length === MOST) break;
  }
  return found;
}

/** Replaces the escape sequences for line ends and tabs. */
const unquoted = (text: string): string =>
  text.replace(/\\([nrt\\])/g, (_, sign: string) => ({ n: '\n', r: '\r', t: '\t' })[sign] ?? '\\');

/** Inserts groups: `$1` is the first group, `$&` the whole match. */
const filled = (insert: string, match: RegExpExecArray): string =>
  insert.replace(/\$([$&]|\d+)/g, (whole, sign: string) => {
    if (sign === '$') return '$';
    return sign === '&' ? match[0] : (match[Number(sign)] ?? (Number(sign) < match.length ? '' : whole));
  });
