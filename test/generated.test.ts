/** Files that `npm run make` generates. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GENERATED_PAGES, type Generators } from '../scripts/generated-pages.ts';
import { isCurrent } from '../scripts/make.ts';
import { filesBelow } from './files.ts';
import { TYPES } from './schema/generate-types.ts';

const ROOT = join(import.meta.dirname, '..');
const GENERATED: Generators = { ...TYPES, ...GENERATED_PAGES };
const SKIPPED = new Set(['node_modules', '.git', 'data', 'coverage', 'dist', 'fixtures']);
/** First comment of a generated file. */
const MARK = /^(?:# .*\n+)?(?:\/\*\*|<!--) (?:.*\. )?Made of .* by `/;

describe('a generated file', () => {
  it.each(Object.entries(GENERATED))('is current: %s; if not, run npm run make', (file, make) => {
    expect(isCurrent(file, make())).toBe(true);
  });

  it('is found stale if a word of it differs', () => {
    const [file, make] = Object.entries(TYPES)[0]!;
    expect(isCurrent(file, make().replace('export type', 'export  type'))).toBe(false);
    expect(isCurrent('schemas/editor/flow.schema.json', '{}')).toBe(false);
    expect(isCurrent('docs/none.md', '')).toBe(false);
  });

  it('has a generator in npm run make if its head says that it is generated', () => {
    const marked = filesBelow(ROOT, SKIPPED)
      .filter((file) => /\.(?:ts|md)$/.test(file) && MARK.test(readFileSync(file, 'utf8').slice(0, 500)))
      .map((file) => relative(ROOT, file));
    expect(marked.length).toBeGreaterThan(10);
    expect(marked.filter((file) => !Object.hasOwn(GENERATED, file))).toEqual([]);
  });
});
