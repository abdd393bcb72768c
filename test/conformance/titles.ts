/** Reads the titles of the tests in a file. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TESTS = new URL('../', import.meta.url);
/** String literal that is the first argument of a call and is followed by a function. */
const TITLE = /\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`),\s*(?:async\s*)?(?:\(|\w+ =>)/g;
/** End of the code before a title: `it`, `test` or a call of `each`. Excludes `describe`, and skipped tests. */
const CALLED = /(?:\b(?<!\.)(?:it|test)|\))\s*$/;

/** `name` is the path below `test/` without `.test.ts`. */
export function titlesIn(name: string): ReadonlySet<string> {
  const text = readFileSync(fileURLToPath(new URL(`${name}.test.ts`, TESTS)), 'utf8');
  const found = new Set<string>();
  for (const match of text.matchAll(TITLE)) {
    if (!CALLED.test(text.slice(Math.max(0, match.index - 40), match.index))) continue;
    const title = match[1] ?? match[2] ?? match[3] ?? '';
    found.add(title.replace(/\\(.)/g, '$1'));
  }
  return found;
}
