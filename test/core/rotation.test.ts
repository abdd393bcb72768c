import { describe, expect, it } from 'vitest';
import { Rotation } from '../../src/base/core/rotation.ts';

function rotationOf(...items: string[]): Rotation<string> {
  const rotation = new Rotation<string>();
  for (const item of items) rotation.add(item[0]!, item);
  return rotation;
}

const served = (rotation: Rotation<string>): string[] => {
  const items: string[] = [];
  while (!rotation.isEmpty) items.push(rotation.next()!);
  return items;
};

describe('rotation', () => {
  it('serves one item of each source in turn, each source in its own order', () => {
    expect(served(rotationOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2'))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('serves sources that come later before the one that was served last', () => {
    const rotation = rotationOf('a1', 'a2');
    expect(rotation.next()).toBe('a1');
    for (const item of ['b1', 'c1']) rotation.add(item[0]!, item);
    expect(served(rotation)).toEqual(['b1', 'c1', 'a2']);
  });

  it('gives a source that was empty meanwhile no earlier turn', () => {
    const rotation = rotationOf('a1', 'b1', 'b2');
    expect([rotation.next(), rotation.next()]).toEqual(['a1', 'b1']);
    rotation.add('a', 'a2');
    expect(served(rotation)).toEqual(['a2', 'b2']);
  });

  it('does not serve an item that was dropped', () => {
    const rotation = rotationOf('a1', 'a2', 'b1');
    rotation.drop('a', 'a1');
    rotation.drop('b', 'b1');
    rotation.drop('c', 'c1');
    expect(served(rotation)).toEqual(['a2']);
    expect(rotation.next()).toBeUndefined();
  });

  it('is empty after all items were taken', () => {
    const rotation = rotationOf('a1', 'b1', 'a2');
    expect(rotation.takeAll().sort()).toEqual(['a1', 'a2', 'b1']);
    expect(rotation.isEmpty).toBe(true);
  });
});
