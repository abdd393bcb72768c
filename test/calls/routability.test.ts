import { expect, it } from 'vitest';
import { createRoutability } from '../../src/service/calls/numbers/routability.ts';

const reaches = createRoutability({
  routes: () => [{ prefix: '+33' }, { prefix: '00' }],
  hasUser: (name) => name.toLowerCase() === 'alice',
  allowSipUris: () => ['phones.example', '2001:db8::1'],
});

it.each([
  ['+33612345678', true],
  ['tel:+33612345678', true],
  ['+33 6 12-34', true],
  ['+44612345678', false],
  ['0033612345678', true],
  ['33612345678', false],
  ['user:alice', true],
  ['user:Alice', true],
  ['user:bob', false],
  ['sip:x@phones.example', true],
  ['sip:phones.example:5070', true],
  ['SIP:x@PHONES.example;transport=tcp', true],
  ['sip:x@[2001:db8::1]:5060', true],
  ['sip:x@elsewhere.example', false],
  ['sip:phones.example@elsewhere.example', false],
])('decides for %s: %s', (to, expected) => {
  expect(reaches(to)).toBe(expected);
});
