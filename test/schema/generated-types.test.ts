import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pathOf, TYPES } from './generate-types.ts';

it.each(Object.keys(TYPES))('%s has the types of the schemas; if not: npm run types', (file) => {
  expect(readFileSync(pathOf(file), 'utf8')).toBe(TYPES[file]!());
});
