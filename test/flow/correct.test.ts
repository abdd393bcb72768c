/** Correct flows that use many features: no finding in any of them. They are small, as in a cookbook. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { brief, checkWhole } from './check-flow.ts';

const FOLDER = join(import.meta.dirname, 'correct');
const files = readdirSync(FOLDER);

it('has sixty examples in total', () => {
  expect(files.length).toBeGreaterThanOrEqual(60);
});

it.each(files)('finds nothing in %s', (file) => {
  const { diagnostics } = checkWhole(readFileSync(join(FOLDER, file), 'utf8'));
  expect(brief(diagnostics), JSON.stringify(diagnostics)).toEqual([]);
});
