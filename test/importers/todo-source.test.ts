/** Source text shown in a `todo` step: short enough to read, and never a template. */
import { expect, it } from 'vitest';
import type { Json } from '../../src/base/core/json.ts';
import { imported } from './imported.ts';

const sourceOf = (fields: object): Json => {
  const result = imported({ 'a.json': JSON.stringify([{ verb: 'wobble', ...fields }]) }, {}, 'jambonz');
  expect(result.findings.map(({ code }) => code)).toEqual(['todo']);
  return (result.steps['wobble'] as { todo: { source: Json } }).todo.source;
};

it.each<[string, object, Json]>([
  ['a small node as it is', { a: { b: [1, 'x'] } }, { verb: 'wobble', a: { b: [1, 'x'] } }],
  ['a text of a few thousand characters', { a: 'x'.repeat(3900) }, { verb: 'wobble', a: 'x'.repeat(3900) }],
])('shows in the source %s', (_, fields, expected) => {
  expect(sourceOf(fields)).toEqual(expected);
});

it('marks where the source of a long text is cut', () => {
  const { a: shown } = sourceOf({ a: 'x'.repeat(9000) }) as { a: string };
  const [, kept, more] = /^(x+)… \((\d+) more characters in the source\)$/.exec(shown)!;
  expect(kept!.length + Number(more)).toBe(9000);
  expect(kept!.length).toBeGreaterThan(3900);
});

it.each([0, 1, 2, 3, 4, 5, 6])('cuts no template of the source into a valid one, at offset %i', (offset) => {
  const { a: shown } = sourceOf({ a: `${'x'.repeat(offset)}${'${ y }'.repeat(2000)}` }) as { a: string };
  expect(shown.replaceAll('$${', '')).not.toContain('$');
});

it('shows the beginning of many values, and says how many more there are', () => {
  const source = JSON.stringify(sourceOf({ list: Array.from({ length: 10_000 }, (_each, index) => index), b: 1 }));
  expect(source).toContain('[0,1,2,3,');
  expect(source).toMatch(/"… \(9\d{3} more values in the source\)"/);
  expect(source.length).toBeLessThan(5000);
});
