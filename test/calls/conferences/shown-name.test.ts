import { expect, it } from 'vitest';
import { shownName } from '../../../src/service/calls/conferences/shown-name.ts';

it.each([
  ['Ann Okafor', 'Ann Okafor'],
  ['+33612345678', '+336…78'],
  ['0612 345-678', '061…78'],
  ['5551234', '55…34'],
  ['204', '204'],
  ['sip:tel2@127.0.0.1:15762', 'tel2'],
  ['sips:+33612345678@carrier.example;user=phone', '+336…78'],
  ['"Ann" <sip:ann@example.org>', 'ann'],
  ['sip:%2B33612345678@carrier.example', '+336…78'],
  ['sip:127.0.0.1:5060', 'Telephone'],
  ['anonymous', 'Telephone'],
  ['sip:anonymous@anonymous.invalid', 'Telephone'],
  ['', 'Telephone'],
])('the name of a telephone: %s is shown as %s', (written, shown) => {
  expect(shownName(written)).toBe(shown);
});
