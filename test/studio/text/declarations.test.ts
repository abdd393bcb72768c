/** Variables that a step assigns are declared once, with the type of their value. */
import { expect, it } from 'vitest';
import { declarationsOf } from '../../../src/pages/studio/web/text/declarations.ts';

const FLOW = { flow: 'shop', start: 'hello', steps: {} };

it('declares them before the start, with their types', () => {
  expect(declarationsOf(FLOW, { tier: 'gold', orders: 3, left: '${ result.body.left }', later: '' })).toEqual([
    {
      ...{ do: 'add', path: [], key: 'vars', after: 'flow' },
      value: { tier: { type: 'string' }, orders: { type: 'number' }, left: {}, later: {} },
    },
  ]);
});

it('adds to the variables that are there, and leaves known ones and facts of the call alone', () => {
  const flow = { ...FLOW, vars: { tier: { type: 'string' } } };
  expect(declarationsOf(flow, { tier: 'gold', 'call.locale': 'fr-FR' })).toEqual([]);
  expect(declarationsOf(flow, { left: true })).toEqual([
    { do: 'add', path: ['vars'], key: 'left', value: { type: 'boolean' } },
  ]);
});
