import { describe, expect, it } from 'vitest';
import { dataSubjectOf, dataSubjectProblem } from '../../src/base/core/data-subject.ts';

describe('a number', () => {
  const { isIn, withoutThem } = dataSubjectOf(['+33 6 12 34 56 78']);

  it.each([
    '+33612345678',
    '0033612345678',
    '33612345678',
    '{"from":"+33612345678","to":"1000"}',
    '{"n":33612345678}',
    'sip:+33612345678@gateway.example;user=phone',
    'tel:+33-6-12-34-56-78',
    '+33 6 12 34 56 78',
    '+33 (0)6 12 34 56 78',
    '+33.6.12.34.56.78',
    'https://shop.example/hook?caller=%2B33612345678&x=1',
    'phone=%2B33%206%2012%2034%2056%2078',
    '{"body":"{\\"phone\\":\\"+33612345678\\"}"}',
    '{"body":"{\\"phone\\":\\"\\\\u002b33612345678\\"}"}',
    'called 0033 6 12 34 56 78 twice',
    'digits\\n33612345678\\n',
  ])('is found in %s', (text) => {
    expect(isIn(text)).toBe(true);
    expect(withoutThem(text)).not.toMatch(/6.?12.?34.?56.?78/);
  });

  it.each(['+336123456789', '133612345678', '+33612345679', '612345678', '{"atMs":1336123456780}', ''])(
    'is not found in %s',
    (text) => {
      expect(isIn(text)).toBe(false);
      expect(withoutThem(text)).toBe(text);
    },
  );

  it('matches only a whole value if it has few digits', () => {
    const short = dataSubjectOf(['1000']);
    for (const text of ['"1000"', '1000', 'sip:1000@pbx.example', '{\\"from\\":\\"1000\\"}', 'user%3A1000%40pbx']) {
      expect(short.isIn(text)).toBe(true);
    }
    for (const text of ['{"timeoutMs":1000}', '"11000"', 'x-1000 ', '"1000ms"']) expect(short.isIn(text)).toBe(false);
  });
});

describe('a user, and a name', () => {
  it.each([
    ['user:alice', '{"to":"user:alice"}', true],
    ['user:alice', '{"user_ref":"alice"}', true],
    ['user:alice', '<sip:Alice@10.0.0.1:5060>;tag=1', true],
    ['user:alice', 'sip%3Aalice%40phones.example', true],
    ['user:alice', '{"body":"{\\"ref\\":\\"alice\\"}"}', true],
    ['user:alice', '{"to":"user:alice2"}', false],
    ['user:alice', '{"text":"alice said"}', false],
    ['user:alice', '{"to":"malice"}', false],
    ['name:Zoë "Z" Martin', JSON.stringify({ name: 'Zoë "Z" Martin' }), true],
    ['name:Zoë "Z" Martin', JSON.stringify({ body: JSON.stringify({ name: 'Zoë "Z" Martin' }) }), true],
    ['name:Alice Martin', '"Alice Martin" <sip:am@x>', true],
    ['name:Alice Martin', '{"name":"Alice Martinez"}', false],
    ['sip:bob@phones.example', '{"to":"sips:bob@phones.example:5061"}', true],
    ['sip:bob@phones.example', '{"to":"sip:bob%40phones.example"}', true],
    ['name:Ann-Marie', '{"name":"Ann-Marie"}', true],
    ['sip:bob@phones.example', '{"to":"sip:jimbob@phones.example"}', false],
  ])('searches for %s in %s: %s', (name, text, isThere) => {
    expect(dataSubjectOf([name]).isIn(text)).toBe(isThere);
  });

  it('treats several names as one person', () => {
    const { isIn } = dataSubjectOf(['+33612345678', '0612345678', 'name:Alice']);
    for (const text of ['"+33612345678"', '"06 12 34 56 78"', '{"name":"Alice"}']) expect(isIn(text)).toBe(true);
  });
});

it.each(['+', '', 'alice', 'user:', 'name: ', 'x'.repeat(300)])('rejects %j as a person', (written) => {
  expect(dataSubjectProblem(written)).toBeDefined();
});
