/**
 * Regular expressions of authors on data of callers. Matched in linear time by RE2, because backtracking expressions
 * can take unbounded time. The only user of `re2js`.
 */
import { RE2JS } from 're2js';

export interface LinearPattern {
  test(text: string): boolean;
  /** The first match at or after `from`. */
  find(text: string, from: number): { start: number; end: number; groups: (string | undefined)[] } | undefined;
}

/** Describes why a pattern is unusable. Undefined if it is valid. */
export function problemOfPattern(source: string, flags = ''): string | undefined {
  try {
    linearPattern(source, flags);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Throws an error with a description if the pattern is malformed or uses look-around or back references. */
export function linearPattern(source: string, flags = ''): LinearPattern {
  let mask = 0;
  if (flags.includes('i')) mask |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) mask |= RE2JS.MULTILINE;
  const pattern = RE2JS.compile(source, mask);
  return {
    test: (text) => pattern.matcher(text).find(),
    find(text, from) {
      const matcher = pattern.matcher(text);
      if (from > text.length || !matcher.find(from)) return undefined;
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, at) => matcher.group(at) ?? undefined);
      return { start: matcher.start(), end: matcher.end(), groups };
    },
  };
}
