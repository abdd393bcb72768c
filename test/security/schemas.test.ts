/** Schemas by authors (variables, answers), applied to untrusted values. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { compileCheck, schemaProblem } from '../../src/base/schema/compile-check.ts';

/** Definitions of which each refers to the one before `times` times. */
function doubling(levels: number, times = 2): JsonObject {
  const $defs: JsonObject = { d0: { const: 1 } };
  for (let level = 1; level <= levels; level++) {
    $defs[`d${level}`] = { anyOf: Array.from({ length: times }, () => ({ $ref: `#/$defs/d${level - 1}` })) };
  }
  return { $defs, $ref: `#/$defs/d${levels}` };
}

const tree = (branches: number): JsonObject => ({
  $defs: {
    node: {
      anyOf: Array.from({ length: branches }, (_, index) => ({
        properties: { [`b${index}`]: { items: { $ref: '#/$defs/node' } } },
      })),
    },
  },
  $ref: '#/$defs/node',
});

describe('schema check for authors', () => {
  it.each<[string, JsonObject]>([
    ['whose references multiply', doubling(26)],
    ['whose references multiply beyond counting', doubling(1200)],
    ['that refers to itself in two places', tree(2)],
    ['that refers to itself at its root twice', { anyOf: [{ items: { $ref: '#' } }, { not: { $ref: '#' } }] }],
    ['with names that only the validator resolves', { anyOf: [{ $ref: '#a' }, { $ref: '#b' }] }],
    ['with a list of ten thousand words', { enum: Array.from({ length: 10_000 }, (_, index) => index) }],
  ])('refuses a schema %s', (_, schema) => {
    expect(schemaProblem(schema)).toMatch(/more than 3000 words|in more than one place|call stack/);
    expect(compileCheck(schema)(1)).toMatch(/^the schema cannot be used/);
  });

  it.each<[string, JsonObject, unknown, unknown]>([
    ['that refers to itself once, as a tree does', tree(1), { b0: [{ b0: [] }] }, { b0: [{ b0: 1 }, 1] }],
    ['that refers to a part of itself', { $defs: { a: { type: 'string' } }, items: { $ref: '#/$defs/a' } }, ['x'], [1]],
    ['that refers to a part often', doubling(6), 1, 2],
    ['with an escaped reference', { $defs: { 'a/b': { const: 1 } }, $ref: '#/$defs/a~1b' }, 1, 2],
  ])('accepts a schema %s', (_, schema, right, wrong) => {
    expect(schemaProblem(schema)).toBeUndefined();
    expect(compileCheck(schema)(right)).toBeUndefined();
    if (!schema['$defs'] || !('node' in (schema['$defs'] as object))) expect(compileCheck(schema)(wrong)).toBeDefined();
  });

  it('finds duplicates among very many items, in any order of keys, without comparing each pair', () => {
    const unique = compileCheck({ type: 'array', uniqueItems: true });
    let looks = 0;
    const many = Array.from({ length: 40_000 }, (_, index) => ({
      get index() {
        looks++;
        return index;
      },
      half: Math.floor(index / 2),
    }));
    expect(unique(many)).toBeUndefined();
    expect(unique([...many, { half: 0, index: 0 }])).toBe('must not have the same item twice');
    // Each item a few times; pairs would be more than a thousand million comparisons.
    expect(looks).toBeLessThan(10 * many.length);
    expect(unique([1, '1', [1], null])).toBeUndefined();
    expect(compileCheck({ uniqueItems: false })([1, 1])).toBeUndefined();
  });
});
