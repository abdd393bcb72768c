import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compileCheck } from '../../src/base/schema/compile-check.ts';
import { SCHEMAS } from '../../src/base/schema/schema-files.ts';
import { verbSchemas } from '../../src/base/schema/schema-forms.ts';

const matches = (pattern: string, value: string): boolean =>
  compileCheck({ type: 'string', pattern })(value) === undefined;

test.each([
  ['^[1-5]$', '3', true],
  ['^[1-5]$', '9', false],
  ['^[0-9]{4}$', '1234', true],
  ['^[0-9]{4}$', '12345', false],
])('applies the pattern %s to %s: %s', (pattern, value, fits) => {
  expect(matches(pattern, value)).toBe(fits);
});

test('distinguishes patterns of one schema', () => {
  const check = compileCheck({
    type: 'object',
    properties: { a: { type: 'string', pattern: '^a$' }, b: { type: 'string', pattern: '^b$' } },
  });
  expect(check({ a: 'a', b: 'b' })).toBeUndefined();
  expect(check({ a: 'b', b: 'b' })).toBeDefined();
  expect(check({ a: 'a', b: 'a' })).toBeDefined();
});

test('limits the time of a pattern that would backtrack for ever', () => {
  expect(matches('^(a+)+$', `${'a'.repeat(40)}!`)).toBe(false);
});

test('limits the time of all patterns of the built-in schemas', () => {
  const folder = fileURLToPath(SCHEMAS);
  const texts = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .concat(JSON.stringify([...verbSchemas.values()], undefined, 1));
  const patterns = new Set(
    texts.flatMap((text) => [...text.matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)].map(([, one]) => one!)),
  );
  expect(patterns.size).toBeGreaterThan(30);
  // A pattern that backtracks would take far too long.
  const hostile = ['a', '1', '1m', 'a.', 'a-', 'a/', '0-', ' ', '[::', '#', 'mon-'].map(
    (part) => `${part.repeat(2000)}\0`,
  );
  for (const pattern of patterns) {
    const { source } = new RegExp(JSON.parse(pattern) as string, 'u');
    for (const text of hostile) new RegExp(source, 'u').test(text);
  }
});
