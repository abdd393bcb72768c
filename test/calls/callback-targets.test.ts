/** Numbers that may be called back, by the flow and by the numbers of the project. */
import { describe, expect, it } from 'vitest';
import { countryCodeOf } from '../../src/base/core/phone-number.ts';
import { mayBeCalledBack } from '../../src/service/calls/callbacks/callback-targets.ts';

describe('a number that asks to be called back', () => {
  const own = ['+33 1 99 00 11 22', '1000', '0049 30 1234'];

  it.each<[string, boolean]>([
    ['+33612345678', true],
    ['0033612345678', true],
    ['tel:+33-6-12-34-56-78', true],
    ['+4915112345678', true],
    ['0612345678', true],
    ['1001', true],
    ['user:anna', true],
    ['sip:anna@pbx.example', true],
    ['+3706123456', false],
    ['+53512345678', false],
    ['00 881 6123 4567', false],
    ['tel:+979 1 2345 6789', false],
    ['+1 876 555 0100', false],
  ])('%s is called without `allow`: %s', (to, isCalled) => {
    expect(mayBeCalledBack(to, { own })).toBe(isCalled);
  });

  it('is in no country if the project has no international number', () => {
    expect(mayBeCalledBack('+33612345678', { own: ['1000'] })).toBe(false);
    expect(mayBeCalledBack('0612345678', { own: ['1000'] })).toBe(true);
  });

  it.each<[string, boolean]>([
    ['+1 212 555 0100', true],
    ['001 212 555 0100', true],
    ['+1 876 555 0100', false],
    ['0612345678', true],
    ['0899123456', false],
    ['+33612345678', false],
    ['user:anna', true],
  ])('%s is called where the flow allows +1212 and 06: %s', (to, isCalled) => {
    expect(mayBeCalledBack(to, { allow: ['+1212', '06'], own })).toBe(isCalled);
  });
});

it.each([
  ['12125550100', '1'],
  ['79261234567', '7'],
  ['33612345678', '33'],
  ['4915112345678', '49'],
  ['3706123456', '370'],
  ['35312345678', '353'],
  ['88161234567', '881'],
])('is %s in the country code %s', (digits, code) => {
  expect(countryCodeOf(digits)).toBe(code);
});
