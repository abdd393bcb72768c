/**
 * Regular expressions that authors and callers' data meet: matched in linear time by RE2's method, because a backtracking
 * one can be made to run for ever. The only user of `re2js`.
 */
import { RE2JS } from 're2js';

export interface LinearPattern {
  test(text: string): boolean;
  /** The first match at or after `from`. */
  find(text: string, from: number): { start: number; end: number; groups: (string | undefined)[] } | undefined;
}

/** Why a pattern cannot be used, in words. */
export function problemOfPattern(source: string, flags = ''): string | undefined {
  try {
    linearPattern(source, flags);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Throws an Error in words when the pattern is malformed or uses look-around or back references. */
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
