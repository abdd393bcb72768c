/** JavaScript as JSONata: what is translated, and what is refused. */
import { describe, expect, it } from 'vitest';
import { Untranslated } from '../../src/language/importers/fidelity.ts';
import { javascriptCondition, javascriptValue } from '../../src/language/importers/javascript.ts';

const names = (path: readonly string[]): string => `vars.${path.join('.')}`;

describe('an expression', () => {
  it.each([
    ['a', 'vars.a'],
    ["'it''s'".replace("''", "\\'"), '"it\'s"'],
    ['a + 1', '$number(vars.a) + 1'],
    ['1 + 2 * a - -3', '1 + 2 * $number(vars.a) - -3'],
    ['(1 + 2) * 3', '(1 + 2) * 3'],
    ['1 - (2 - 3)', '1 - (2 - 3)'],
    ["'x' + a + 1", "'x' & vars.a & 1"],
    ["a == 5 ? 'yes' : 'no'", "$string(vars.a) = $string(5) ? 'yes' : 'no'"],
    ["a || 'friend'", "($boolean(vars.a) ? vars.a : 'friend')"],
    ['name.first.toUpperCase()', '$uppercase(vars.name.first)'],
    ['digits.substring(0, 4).trim()', '$trim($substring(vars.digits, 0, 4))'],
    ['Math.round(Number(a) / 3)', '$round($number(vars.a) / 3)'],
    ['list[0].name', 'vars.list.0.name'],
    ['!a', '$not($boolean(vars.a))'],
  ])('translates %s to %s', (written, expected) => {
    expect(javascriptValue(written, names)).toBe(expected);
  });

  it.each([
    ["a == 'x' && b != 2 || c", "vars.a = 'x' and $not($string(vars.b) = $string(2)) or $boolean(vars.c)"],
    ['(a || b) && c', '($boolean(vars.a) or $boolean(vars.b)) and $boolean(vars.c)'],
    ['a == undefined', '($not($exists(vars.a)) or vars.a = null)'],
    ['a != null', '($exists(vars.a) and $not(vars.a = null))'],
    ['a < b', '$number(vars.a) < $number(vars.b)'],
  ])('%s holds where %s does', (written, expected) => {
    expect(javascriptCondition(written, names)).toBe(expected);
  });

  it.each([
    '',
    '  ',
    'a = 1',
    'a++',
    'new Date()',
    'x => x',
    'a[b]',
    'f(a)',
    'a.toFixed(2)',
    '`a`',
    '/a/.test(b)',
    '{ a: 1 }',
    "'a",
    'a b',
    '(a',
    'a)',
    '1 +',
    'typeof a',
    "'\\u0041'",
    'a, b',
    `${'('.repeat(500)}1${')'.repeat(500)}`,
    `${'!'.repeat(500)}a`,
    'x'.repeat(3000),
  ])('rejects the expression %s', (written) => {
    expect(() => javascriptValue(written, names)).toThrow(Untranslated);
  });
});
