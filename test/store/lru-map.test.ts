import { expect, it } from 'vitest';
import { LruMap } from '../../src/service/store/lru-map.ts';

it('remembers what was set last, and at most twice as many', () => {
  const map = new LruMap<number, string>(100);
  for (let key = 0; key < 1000; key++) {
    map.set(key, `${key}`);
    for (const recent of [key, key - 50, key - 99].filter((each) => each >= 0))
      expect(map.get(recent)).toBe(`${recent}`);
    expect(map.has(key - 200)).toBe(false);
  }
  expect(map.get(0)).toBeUndefined();
  expect(map.has(999)).toBe(true);
});

it('has the value that was set last', () => {
  const map = new LruMap<string, number>(3);
  map.set('a', 1);
  for (const key of ['b', 'c', 'd']) map.set(key, 0);
  map.set('a', 2);
  expect(map.get('a')).toBe(2);
});
