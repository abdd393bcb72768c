/** Spellings of phone numbers, and the places that compare or dial them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { destinationProblem } from '../../src/base/core/address-syntax.ts';
import {
  internationalNumber,
  normalizeNumber,
  numberLookupKey,
  withoutMarks,
} from '../../src/base/core/phone-number.ts';
import { numberOf } from '../../src/media/telephony/sip/outbound-routes.ts';
import { parseUri } from '../../src/media/telephony/sip/uri.ts';
import { phoneKey } from '../../src/service/calls/numbers/phone-key.ts';
import { createRoutability } from '../../src/service/calls/numbers/routability.ts';

describe('the national prefix in brackets', () => {
  it.each([
    ['+49 (0)30 123456', '+4930123456'],
    ['+44 (0)20 7946 0000', '+442079460000'],
    ['+49(0)30123456', '+4930123456'],
    ['+49 (0) 30-123 456', '+4930123456'],
    ['+4 9 (0)30 123456', '+4930123456'],
    ['+353 (0)1 234 5678', '+35312345678'],
    ['0049 (0)30 123456', '004930123456'],
    [' +49 (0)30 123456', '+4930123456'],
    // Numbers of Italy begin with their 0.
    ['+39 (0)6 1234567', '+39061234567'],
    // Invisible marks, and dashes of other alphabets.
    ['\u202a+4930123457\u202c', '+4930123457'],
    ['\u200e+49\u00a0(0)30\u2011123\u2013457\ufeff', '+4930123457'],
    // Not a national prefix.
    ['(030) 123456', '030123456'],
    ['(0)30 123456', '030123456'],
    ['+49 30 (0)123456', '+49300123456'],
    ['+49 (030) 123456', '+49030123456'],
    ['+1 (212) 555-0100', '+12125550100'],
  ])('reduces the number %j to %s', (written, plain) => {
    expect(withoutMarks(written)).toBe(plain);
  });

  it('is left out wherever numbers are compared, checked and dialled', () => {
    const path = new URL('../fixtures/field/14-number-with-0-in-brackets.json', import.meta.url);
    const { broadcast_numbers_array } = JSON.parse(readFileSync(path, 'utf8')) as { broadcast_numbers_array: string[] };
    const expected = ['+4930123456', '+442079460000'];
    const digits = expected.map((number) => number.slice(1));
    expect(broadcast_numbers_array.map(numberOf)).toEqual(expected);
    expect(broadcast_numbers_array.map((number) => numberOf(`tel:${number}`))).toEqual(expected);
    expect(broadcast_numbers_array.map(phoneKey)).toEqual(digits);
    expect(broadcast_numbers_array.map(normalizeNumber)).toEqual(digits);
    expect(broadcast_numbers_array.map(numberLookupKey)).toEqual(digits);
    expect(broadcast_numbers_array.map(destinationProblem)).toEqual([undefined, undefined]);
    const isRoutable = createRoutability({
      routes: () => [{ prefix: '+4930' }, { prefix: '+4420' }],
      hasUser: () => false,
      allowSipUris: () => [],
    });
    expect(broadcast_numbers_array.map(isRoutable)).toEqual([true, true]);
    expect(phoneKey('sip:+49(0)30123456@carrier.example')).toBe(digits[0]);
    expect(parseUri('tel:+49(0)30-123456')).toMatchObject({ user: '+4930123456' });
  });
});

describe('a number as a carrier writes it', () => {
  it.each([
    ['+33199001122', '33', '+33199001122'],
    ['0033199001122', '33', '+33199001122'],
    ['0199001122', '33', '+33199001122'],
    ['01 99-00-11-22', '33', '+33199001122'],
    ['0044 20 7946 0000', '33', '+442079460000'],
    ['0612345678', '39', '+390612345678'],
    ['33199001122', '33', '33199001122'],
    ['tel:+33-199-001122', '33', 'tel:+33-199-001122'],
    ['0123', '33', '0123'],
    ['100', '33', '100'],
    ['anonymous', '33', 'anonymous'],
    ['0alice', '33', '0alice'],
  ])('completes %s in the country %s to %s', (written, country, international) => {
    expect(internationalNumber(written, country)).toBe(international);
  });
});
