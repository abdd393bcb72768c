/**
 * `npm run make`: brings all generated files up to date, and prints those that it has changed. The types and lists come
 * first, because the reference pages read the lists of verbs. `test/generated.test.ts` fails for a stale file.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TYPES } from '../test/schema/generate-types.ts';
import type { Generators } from './generated-pages.ts';

const ROOT = join(import.meta.dirname, '..');

/** True if the file has this content. The formatter may have changed the white space of JSON. */
export function isCurrent(file: string, text: string): boolean {
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  const written = readFileSync(path, 'utf8');
  return file.endsWith('.json') ? isDeepStrictEqual(JSON.parse(written), JSON.parse(text)) : written === text;
}

function bringUpToDate(generators: Generators): void {
  for (const [file, make] of Object.entries(generators)) {
    const text = make();
    if (isCurrent(file, text)) continue;
    writeFileSync(join(ROOT, file), text);
    if (file.endsWith('.json')) {
      execFileSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', file], { cwd: ROOT, stdio: 'ignore' });
    }
    console.log(file);
  }
}

if (import.meta.main) {
  bringUpToDate(TYPES);
  const { GENERATED_PAGES } = await import('./generated-pages.ts');
  bringUpToDate(GENERATED_PAGES);
}
