import { expect, test } from 'vitest';
import { compileSchema } from '../../src/flow/validate.ts';

const matches = (pattern: string, value: string): boolean =>
  compileSchema({ type: 'string', pattern })(value) === undefined;

test.each([
  ['^[1-5]$', '3', true],
  ['^[1-5]$', '9', false],
  ['^[0-9]{4}$', '1234', true],
  ['^[0-9]{4}$', '12345', false],
])('the pattern %s takes %s: %s', (pattern, value, fits) => {
  expect(matches(pattern, value)).toBe(fits);
});

test('patterns of one schema are told apart', () => {
  const check = compileSchema({
    type: 'object',
    properties: { a: { type: 'string', pattern: '^a$' }, b: { type: 'string', pattern: '^b$' } },
  });
  expect(check({ a: 'a', b: 'b' })).toBeUndefined();
  expect(check({ a: 'b', b: 'b' })).toBeDefined();
  expect(check({ a: 'a', b: 'a' })).toBeDefined();
});

test('a pattern that would backtrack for ever does not', () => {
  expect(matches('^(a+)+$', `${'a'.repeat(40)}!`)).toBe(false);
});
