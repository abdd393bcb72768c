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
  ['the beginning of a long text', { a: 'x'.repeat(5000) }, { verb: 'wobble', a: `${'x'.repeat(200)}…` }],
  ['no template that is cut', { a: `${'x'.repeat(199)}\${ y }` }, { verb: 'wobble', a: `${'x'.repeat(199)}…` }],
])('shows in the source %s', (_, fields, expected) => {
  expect(sourceOf(fields)).toEqual(expected);
});

it('shows the beginning of many values, and says that there are more', () => {
  const source = JSON.stringify(sourceOf({ list: Array.from({ length: 10_000 }, (_each, index) => index), b: 1 }));
  expect(source).toContain('[0,1,2,3,');
  expect(source).toContain('"…"');
  expect(source.length).toBeLessThan(1000);
});
