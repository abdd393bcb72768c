import { describe, expect, it } from 'vitest';
import { type CodeRules, codeFromKeys, codeFromWords, starredCode } from '../../src/language/spoken/heard-code.ts';

const four: CodeRules = { min: 4, max: 4, fits: () => true };
const flight: CodeRules = { min: 3, max: 6, fits: (code) => /^[A-Z]{2}\d+$/.test(code) };
const known: CodeRules = { min: 1, max: 32, fits: () => true, codes: ['AB-12', 'AC13', 'QX7'] };

describe('codeFromKeys', () => {
  it.each<[typed: string, rules: CodeRules, found: ReturnType<typeof codeFromKeys>]>([
    ['1234', four, { code: '1234' }],
    ['*21*2212', four, { code: 'AB12' }],
    ['*93*7411', four, { code: 'YS11' }],
    ['*21', four, 'incomplete'],
    ['*2', four, 'incomplete'],
    ['*', four, 'incomplete'],
    ['*24', four, undefined],
    ['*1', four, undefined],
    ['123', four, 'incomplete'],
    ['12345', four, undefined],
    ['*21*22', flight, 'incomplete'],
    ['*21*221', flight, { code: 'AB1' }],
    ['2212', known, { code: 'AB12' }],
    ['22', known, 'incomplete'],
    ['797', known, { code: 'QX7' }],
    ['33', known, undefined],
    ['*21*2212', known, { code: 'AB12' }],
  ])('reads the keys %j as a value', (typed, rules, found) => {
    expect(codeFromKeys(typed, rules)).toEqual(found);
  });

  it('decodes the keys of every code', () => {
    const code = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const rules: CodeRules = { min: 36, max: 36, fits: () => true };
    expect(codeFromKeys(starredCode(code), rules)).toEqual({ code });
  });
});

describe('codeFromWords', () => {
  it.each<[language: string, said: string, code: string | undefined]>([
    ['en-US', 'a b one two', 'AB12'],
    ['en-US', 'AB12', 'AB12'],
    ['en-US', 'A-B 12', 'AB12'],
    ['en-US', 'alpha bravo one two', 'AB12'],
    ['en-US', 'A as in Alpha, B as in Bravo, twelve', 'AB12'],
    ['en-US', 'double u double two seven', 'W227'],
    ['en-US', 'double a double two', 'AA22'],
    ['en-US', 'bee see oh nine', 'BC09'],
    ['en-US', 'my code is maybe', undefined],
    ['de', 'Anton Berta eins zwei', 'AB12'],
    ['de', 'A wie Anton, B wie Berta, zwölf', 'AB12'],
    ['de', 'zett ypsilon null neun', 'ZY09'],
    ['fr', 'a comme Anatole b un deux', 'AB12'],
    ['es', 'a de Antonio be uno dos', 'AB12'],
    ['it', 'Ancona Bologna uno due', 'AB12'],
    ['nl', 'AB12', 'AB12'],
  ])('reads in %s: %s', (language, said, code) => {
    expect(codeFromWords(said, language, four)).toBe(code);
  });

  it('accepts only codes of the list', () => {
    expect(codeFromWords('A B one two', 'en-US', known)).toBe('AB12');
    expect(codeFromWords('A B one three', 'en-US', known)).toBeUndefined();
  });
});
