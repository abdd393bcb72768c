/** What JSON may bring along that is not meant for us. */
import { describe, expect, it } from 'vitest';
import { removeProtoKeys } from '../../src/api/json-body.ts';

describe('withoutPrototypes', () => {
  it.each<[string, string, unknown]>([
    ['at the top', '{"__proto__": {"x": 1}, "a": 1}', { a: 1 }],
    ['inside', '{"a": {"b": {"__proto__": {"x": 1}, "c": 2}}}', { a: { b: { c: 2 } } }],
    ['in lists', '[{"__proto__": 1}, [{"__proto__": null, "a": [1]}]]', [{}, [{ a: [1] }]]],
    ['in other letters', '{"\\u005f\\u005fproto__": {"x": 1}}', {}],
    ['inside one of them', '{"__proto__": {"__proto__": {}}, "a": 1}', { a: 1 }],
  ])('takes them out %s', (_where, text, left) => {
    const value: unknown = removeProtoKeys(JSON.parse(text));
    expect(value).toEqual(left);
    expect(JSON.stringify(value)).not.toContain('__proto__');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it.each([1, 'a', null, true, undefined])('gives %s back', (value) => {
    expect(removeProtoKeys(value)).toBe(value);
  });

  it('does not mind depth', () => {
    const deep = `${'[{"a":'.repeat(50_000)}{"__proto__": 1}${'}]'.repeat(50_000)}`;
    let value = removeProtoKeys(JSON.parse(deep)) as unknown;
    while (Array.isArray(value)) value = (value[0] as { a: unknown }).a;
    expect(Object.keys(value as object)).toEqual([]);
  });
});
