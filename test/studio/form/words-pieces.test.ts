import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expressionTexts } from '../../../src/language/flow/template.ts';
import { declaredValues, valueInCall } from '../../../src/pages/studio/web/form/declared-values.ts';
import { begunValue, nameOfValue, piecesOf, valuesIn } from '../../../src/pages/studio/web/form/words-pieces.ts';
import { valuesOfCall } from '../../../src/pages/studio/web/simulator/call-values.ts';
import type { SimulationData } from '../../../src/pages/studio/web/simulator/simulation.ts';

const expressionsOf = (text: string): string[] => valuesIn(text).map(({ expression }) => expression);

describe('piecesOf', () => {
  it('returns the values and the text between them', () => {
    expect(piecesOf('Hello ${ vars.name }, dial ${steps.ask.digits}.')).toEqual([
      { text: 'Hello ', from: 0, to: 6 },
      { text: '${ vars.name }', from: 6, to: 20, expression: 'vars.name' },
      { text: ', dial ', from: 20, to: 27 },
      { text: '${steps.ask.digits}', from: 27, to: 46, expression: 'steps.ask.digits' },
      { text: '.', from: 46, to: 47 },
    ]);
  });

  it.each(['Costs $5', 'a } b {', '${', 'Hi ${ vars.name', '${ }', '$${ vars.name }', '[Words]', 'ann@example.com'])(
    'keeps %j as plain text',
    (text) => {
      expect(piecesOf(text)).toEqual([{ text, from: 0, to: text.length }]);
      expect(valuesIn(text)).toEqual([]);
    },
  );

  it('ends a value at its own brace, not at one in a string', () => {
    expect(expressionsOf(`\${ vars.a = '}' ? { 'b': 1 } : 2 } and \${ vars.c }`)).toEqual([
      `vars.a = '}' ? { 'b': 1 } : 2`,
      'vars.c',
    ]);
  });

  const texts = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(
          '${',
          '}',
          '{',
          '$',
          '@',
          '"',
          "'",
          '`',
          '/',
          '\n',
          '\r\n',
          ' vars.name ',
          'مرحبا',
          '${ vars.x }',
        ),
      ),
    )
    .map((parts) => parts.join(''));

  it('returns pieces that join to the same characters', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const pieces = piecesOf(text);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        expect(pieces.every(({ text: own, from, to }) => own !== '' && text.slice(from, to) === own)).toBe(true);
      }),
    );
  });

  it('finds the values that calls evaluate', () => {
    const parts = fc.constantFrom('Hello ', '$', '$5 ', '${ vars.a }', '${vars.b}', ' a } b', '\n');
    fc.assert(
      fc.property(fc.array(parts), (written) => {
        const text = written.join('');
        expect(expressionsOf(text)).toEqual(expressionTexts(text).map((expression) => expression.trim()));
      }),
    );
  });
});

describe('nameOfValue', () => {
  it.each([
    ['vars.name', 'name'],
    ['vars.last_order.date', 'last order · date'],
    ['steps.ask.digits', 'ask · digits'],
    ['call.from', 'number of the caller'],
    ['$uppercase(vars.name)', '$uppercase(vars.name)'],
    ["vars.tier = 'gold' ? 'dear' : 'hello'", "vars.tier = 'gold' ? 'dear'…"],
  ])('names %s as %s in a chip', (expression, name) => expect(nameOfValue(expression)).toBe(name));
});

describe('begunValue', () => {
  it.each([
    ['Hello @', 6, ''],
    ['Hello $', 6, ''],
    ['Hello ${ vars.na', 6, 'vars.na'],
    ['{na', 0, 'na'],
  ])('finds the beginning in %j at %d, with the name %j', (before, from, name) => {
    const begun = begunValue(before, '');
    expect(begun?.from).toBe(from);
    expect(before.slice(begun?.wordFrom)).toBe(name);
    expect(begun?.insertOf('vars.name')).toBe('${ vars.name }');
  });

  it.each(['Hello', 'ann@example', '$$', 'at $5 or so'])('finds no begun value in %j', (before) =>
    expect(begunValue(before, '')).toBeUndefined(),
  );

  it('keeps a closing brace that is there', () => {
    expect(begunValue('Hello ${', '}!')?.insertOf('vars.name')).toBe('${ vars.name ');
    expect(begunValue('Hello ${ ', ' }!')?.insertOf('vars.name')).toBe('${ vars.name');
  });
});

describe('declared values', () => {
  it('lists variables, fields of records, inputs and facts of the call, with their types', () => {
    const flow = {
      vars: { order: { type: 'object', properties: { amount: { type: 'number' } } }, 'my name': {} },
      input: { vip: { type: 'boolean' } },
    };
    expect(declaredValues(flow).map(({ expression, type }) => `${expression}: ${type}`)).toEqual([
      'vars.order: record',
      'vars.order.amount: number',
      'vars.`my name`: ',
      'input.vip: yes or no',
      'call.from: text',
      'call.to: text',
    ]);
  });

  it('reads the values of the simulated call', () => {
    const frames: SimulationData['frames'] = [
      { flow: 'shop', vars: { name: 'Ann', order: { amount: 7 } } },
      { flow: 'other', vars: { name: 'Bea' } },
    ];
    const found = valuesOfCall('shop', { from: '+33', to: '+44' }, { frames, journal: [] });
    const said = (expression: string): string => valueInCall(found?.scope, expression);
    expect(['vars.name', 'vars.order.amount', 'call.from', 'vars.nothing', 'vars.name.first'].map(said)).toEqual([
      ...['Ann', '7', '+33', '', ''],
    ]);
    expect(valuesOfCall('third', { from: '', to: '' }, { frames, journal: [] })).toBeUndefined();
  });
});
