/** Conditions as rows: written rows are read again, and other expressions are left alone. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMPARISONS, readConditions, writeConditions } from '../../../src/pages/studio/web/form/conditions.ts';

const row = fc.record({
  left: fc.constantFrom('vars.tier', 'input.name', 'steps.ask.digits', 'call.from'),
  is: fc.constantFrom(...COMPARISONS.map(([is]) => is)),
  right: fc.oneof(fc.string(), fc.constantFrom('gold', '10', 'true', 'a and b', ' or ', "it's", 'say "x"', '')),
});
const conditions = fc.record({ isAny: fc.boolean(), rows: fc.array(row, { minLength: 1, maxLength: 4 }) });

describe('conditions', () => {
  it('are the same rows after they are written and read', () => {
    fc.assert(
      fc.property(conditions, (made) => {
        const written = writeConditions(made);
        if (written === undefined) return;
        const isAny = made.isAny && made.rows.length > 1;
        expect(readConditions(written)).toEqual({ ...made, isAny });
      }),
    );
  });

  it.each([
    ["vars.tier = 'gold'", 1],
    ['vars.tier = "gold" and vars.orders > 10', 2],
    ["$contains(vars.name, 'x') or call.from != '+33'", 2],
  ])('are read as rows: %s', (expression, rows) => {
    expect(readConditions(expression)!.rows).toHaveLength(rows);
  });

  it.each([
    "vars.a = 'x' and vars.b = 'y' or vars.c = 'z'",
    '$count(vars.list) > 3',
    'vars.a = vars.b',
    "vars.a='x'",
    "vars.a = '4'",
    "(vars.a = 'x')",
    'vars.ready',
    "vars.a in ['x', 'y']",
  ])('are left as an expression: %s', (expression) => {
    expect(readConditions(expression)).toBeUndefined();
  });
});
