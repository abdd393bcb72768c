/** Values and shapes that an author takes over from the sample answer of a web service. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/core/json.ts';
import { compileCheck } from '../../../src/base/schema/compile-check.ts';
import { compileExpression, evaluate } from '../../../src/language/flow/expression.ts';
import {
  expressionOf,
  leavesOf,
  shapeOf,
  valuesByScope,
  variableFor,
} from '../../../src/pages/studio/web/form/sample-answer.ts';

const SAMPLES: readonly Json[] = [
  { state: 'sent', total: 12.5, open: true, note: null },
  { items: [{ id: 1, name: 'bread' }, { id: 2 }], 'due date': '2026-01-02', and: 1 },
  [{ a: [] }, { a: [1, 'x'] }],
  [[1], ['x']],
  'plain text',
  { nested: { deeper: { deepest: [null, 1] } } },
];

describe.each(SAMPLES.map((sample) => [JSON.stringify(sample), sample] as const))('the sample %s', (_, sample) => {
  it('fits the schema made of it', () => {
    expect(compileCheck(shapeOf(sample))(sample)).toBeUndefined();
  });

  it('has each leaf where its expression finds it', async () => {
    const scope = { input: {}, call: {}, vars: {}, steps: {}, env: {}, result: { body: sample } };
    for (const leaf of leavesOf(sample)) {
      const expression = compileExpression(expressionOf(leaf));
      if ('error' in expression) throw new Error(expression.error.message);
      expect(await evaluate(expression, scope, { nowMs: 0, random: () => 0 })).toEqual(leaf.value ?? null);
    }
  });
});

describe('the shape of a sample', () => {
  it('requires what no item lacks, and refuses other types', () => {
    expect(shapeOf(SAMPLES[1]!)).toMatchObject({
      required: ['items', 'due date', 'and'],
      properties: { items: { items: { required: ['id'], properties: { id: { type: 'number' } } } } },
    });
    expect(compileCheck(shapeOf({ id: 1 }))({ id: 'one' })).toBeDefined();
    expect(compileCheck(shapeOf({ note: null }))({})).toBeUndefined();
  });
});

it.each([
  [['orderState'], 'order_state'],
  [['items', 0, 'first name'], 'first_name'],
  [['2nd'], 'answer'],
  [['Größe'], 'gr_e'],
  [[0], 'answer'],
  [['…'], 'answer'],
])('names the variable of %j %s', (path, name) => {
  expect(variableFor({ path })).toBe(name);
});

it('gives example values in the scopes of a call, as numbers where they are numbers', () => {
  const values = new Map([
    ['vars.order', '42'],
    ['call.from', '33612345678'],
    ['steps.look_up.body.state', 'open'],
    ['input.none', ''],
    ['vars.__proto__.x', 'y'],
  ]);
  expect(valuesByScope(values)).toEqual({
    vars: { order: 42 },
    call: { from: '33612345678' },
    steps: { look_up: { body: { state: 'open' } } },
  });
});
