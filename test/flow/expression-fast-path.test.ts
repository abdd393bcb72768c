import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Scope } from '../../src/language/flow/compiled-flow.ts';
import { compileExpression, evaluate } from '../../src/language/flow/expression.ts';

const scopeOf = (input: unknown): Scope => ({ input, call: {}, vars: {}, steps: {}, env: {} }) as unknown as Scope;

async function found(source: string, input: unknown): Promise<unknown> {
  const expression = compileExpression(source);
  if ('error' in expression) throw new Error(expression.error.message);
  const context = { nowMs: 0, random: () => 0 };
  try {
    return { value: await evaluate(expression, scopeOf(input), context) };
  } catch (error) {
    return { code: (error as { code: string }).code };
  }
}

/** A block of two expressions takes the general path of the evaluator. */
const asEvaluated = (path: string): string => `(0; ${path})`;

const name = fc.constantFrom('a', 'b', 'length', 'constructor', 'toString');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, false, 0, 1.5, '', 'text', [], {}),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));

test('matches the evaluator for a path over any value', async () => {
  await fc.assert(
    fc.asyncProperty(value, fc.array(name, { minLength: 1, maxLength: 3 }), async (input, names) => {
      const path = ['input', ...names].join('.');
      expect(await found(path, input)).toEqual(await found(asEvaluated(path), input));
      const exists = `$exists(${path})`;
      expect(await found(exists, input)).toEqual(await found(asEvaluated(exists), input));
      expect(await found(`(${path})`, input)).toEqual(await found(asEvaluated(path), input));
    }),
    { numRuns: 500 },
  );
});

test('matches the evaluator for comparisons and choices', async () => {
  const term = fc.constantFrom('input.a', 'input.b.a', '"text"', "''", '0', '1.5', 'true', 'false', 'null');
  const test = fc.oneof(
    term,
    fc.tuple(term, fc.constantFrom('=', '!='), term).map((parts) => parts.join(' ')),
    term.map((one) => `$exists(${one})`),
  );
  const choice = fc.oneof(
    fc.tuple(test, term, term).map(([when, then, otherwise]) => `${when} ? ${then} : ${otherwise}`),
    fc.tuple(test, term).map(([when, then]) => `${when} ? ${then}`),
    fc
      .tuple(test, term, term, term)
      .map(([when, then, otherwise, other]) => `(${when} ? ${then} : ${otherwise}) = ${other}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 3 }), fc.oneof(test, choice), async (input, source) => {
      expect(await found(source, input)).toEqual(await found(asEvaluated(source), input));
    }),
    { numRuns: 500 },
  );
});

test('returns a copy of the value', async () => {
  const input = { play: { prompt: 'hello' } };
  const { value } = (await found('input.play', input)) as { value: unknown };
  expect(value).toEqual(input.play);
  expect(value).not.toBe(input.play);
});

test.each([
  ['input.a[0]', { a: [1, 2] }, 1],
  ['input.a[]', { a: 1 }, [1]],
  ['input.*', { a: 1 }, 1],
  ['input.a.$string()', { a: 1 }, '1'],
  ['$exists(input.a, input.b)', { a: 1 }, undefined],
  ['input.`a b`', { 'a b': 1 }, 1],
])('%s is read as it is written', async (source, input, expected) => {
  const result = await found(source, input);
  expect(result).toEqual(expected === undefined ? { code: expect.any(String) } : { value: expected });
});
