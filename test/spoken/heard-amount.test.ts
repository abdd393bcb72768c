import { describe, expect, it } from 'vitest';
import { type AmountRules, amountFromKeys, amountFromWords } from '../../src/language/spoken/heard-amount.ts';

const euros: AmountRules = { decimals: 2, currency: 'EUR' };
const dollars: AmountRules = { decimals: 2, currency: 'USD' };
const yen: AmountRules = { decimals: 0, currency: 'JPY' };

describe('amountFromKeys', () => {
  it.each<[typed: string, rules: AmountRules, amount: number | undefined]>([
    ['12', euros, 12],
    ['12*50', euros, 12.5],
    ['12*5', euros, 12.5],
    ['*50', euros, 0.5],
    ['12*', euros, 12],
    ['012*05', euros, 12.05],
    ['12*505', euros, undefined],
    ['*', euros, undefined],
    ['1*2*3', euros, undefined],
    ['1234567890', euros, undefined],
    ['500', yen, 500],
    ['500*1', yen, undefined],
    ['9', { ...euros, min: 10 }, undefined],
    ['10', { ...euros, min: 10, max: 10 }, 10],
    ['10*01', { ...euros, max: 10 }, undefined],
  ])('reads the keys %j as a value', (typed, rules, amount) => {
    expect(amountFromKeys(typed, rules)).toBe(amount);
  });
});

describe('amountFromWords', () => {
  it.each<[language: string, said: string, rules: AmountRules, amount: number | undefined]>([
    ['en-US', 'twelve dollars and fifty cents', dollars, 12.5],
    ['en-US', 'twelve fifty', dollars, 12.5],
    ['en-US', 'twelve point five', dollars, 12.5],
    ['en-US', 'twelve dollars five', dollars, 12.05],
    ['en-US', 'fifty cents', dollars, 0.5],
    ['en-US', 'one hundred and twenty dollars', dollars, 120],
    ['en-US', 'a hundred dollars', dollars, 100],
    ['en-US', 'twelve thousand three hundred', dollars, 12_300],
    ['en-US', '$12.50', dollars, 12.5],
    ['en-US', '1,234.50', dollars, 1234.5],
    ['en-US', 'please', dollars, undefined],
    ['en-US', 'twelve point five five five', dollars, undefined],
    ['de', 'zwölf Euro fünfzig', euros, 12.5],
    ['de', 'zwölf Komma fünf', euros, 12.5],
    ['de', 'zweihundertfünfzig Euro', euros, 250],
    ['de', 'zwölftausenddreihundert', euros, 12_300],
    ['de', 'ein Euro', euros, 1],
    ['de', '12,50 €', euros, 12.5],
    ['fr', 'douze euros cinquante', euros, 12.5],
    ['fr', 'douze virgule cinq', euros, 12.5],
    ['fr', 'deux mille euros', euros, 2000],
    ['es', 'doce euros con cincuenta', euros, 12.5],
    ['es', 'doscientos cincuenta euros', euros, 250],
    ['it', 'dodici euro e cinquanta', euros, 12.5],
    ['it', 'duemila euro', euros, 2000],
    ['nl', '12,50', euros, 12.5],
  ])('reads in %s: %s', (language, said, rules, amount) => {
    expect(amountFromWords(said, language, rules)).toBe(amount);
  });
});
