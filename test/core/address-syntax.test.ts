import { describe, expect, it } from 'vitest';
import { callerIdProblem, destinationProblem } from '../../src/base/core/address-syntax.ts';

describe('a destination', () => {
  it.each([
    '+33612345678',
    '+33 6 12-34.56 (78)',
    '0612345678',
    '112',
    '*43#',
    'tel:+33612345678',
    'sip:alice@phones.example',
    'sip:alice@phones.example:5070;transport=tcp',
    'SIPS:alice@[2001:db8::1]',
    'sip:127.0.0.1:5070',
    'user:alice',
    'user:a.b+c_d-e',
  ])('accepts %s as a destination', (to) => {
    expect(destinationProblem(to)).toBeUndefined();
  });

  it.each<[string, RegExp]>([
    ['', /must be a number/],
    ['+', /must be a number/],
    ['nobody', /must be a number/],
    ['0612 or 0613', /must be a number/],
    ['+1234567890123456', /more than 15 digits/],
    ['1'.repeat(33), /more than 32 digits/],
    ['alice@phones.example', /as a SIP URI it is sip:alice@phones.example/],
    ['sip:', /SIP URI/],
    ['sip:a b@phones.example', /SIP URI/],
    ['sip:alice@phones.example?Replaces=x', /SIP URI/],
    ['<sip:alice@phones.example>', /characters/],
    ['sip:a@b\r\nVia: x', /characters/],
    ['user:', /registered user/],
    ['user:a/b', /registered user/],
    [`sip:${'a'.repeat(300)}@x`, /longer/],
    ['1'.repeat(100_000), /longer/],
  ])('rejects %j as a destination', (to, why) => {
    expect(destinationProblem(to)).toMatch(why);
  });
});

describe('a line to show', () => {
  it.each(['1000', '+33 1 99 00', 'support', '(01) 99'])('accepts %s as a caller ID', (from) => {
    expect(callerIdProblem(from)).toBeUndefined();
  });
  it.each(['', ' ', '+', '1\r\n2', '"x" <1>', '1'.repeat(65), 'sip:a@b'])('rejects the caller ID %j', (from) => {
    expect(callerIdProblem(from)).toBe('must be a number');
  });
});
