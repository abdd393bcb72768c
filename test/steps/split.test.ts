import { describe, expect, it } from 'vitest';
import { startSteps } from './scripted-call.ts';

const armOf = async (args: string, from: string, seed = 1): Promise<string> => {
  const call = await startSteps(`  first: { split: ${args}, exits: { a: bye, b: bye, c: bye } }`, {
    spec: { from, seed },
  });
  return call.outcomes()[0]!.slice('first:'.length);
};

const callers = Array.from({ length: 200 }, (_, index) => `+336${String(10_000_000 + index * 7919)}`);

describe('split', () => {
  it('divides callers by weight', async () => {
    const arms = await Promise.all(callers.map((from) => armOf('{ arms: { a: 70, b: 25, c: 5 } }', from)));
    const share = (arm: string) => arms.filter((each) => each === arm).length / arms.length;
    expect(share('a')).toBeGreaterThan(0.6);
    expect(share('a')).toBeLessThan(0.8);
    expect(share('b')).toBeGreaterThan(0.15);
    expect(share('c')).toBeGreaterThan(0);
  });

  it('gives a repeat caller the same outcome', async () => {
    for (const from of callers.slice(0, 10)) {
      const first = await armOf('{ arms: { a: 1, b: 1, c: 1 } }', from, 1);
      expect(await armOf('{ arms: { a: 1, b: 1, c: 1 } }', from, 2)).toBe(first);
    }
  });

  it('decides by sticky, or by chance with false', async () => {
    const by = (args: string) => Promise.all(callers.slice(0, 20).map((from, seed) => armOf(args, from, seed)));
    expect(new Set(await by('{ arms: { a: 1, b: 1, c: 1 }, sticky: same }')).size).toBe(1);
    expect(new Set(await by('{ arms: { a: 1, b: 1, c: 1 }, sticky: false }')).size).toBe(3);
  });

  it.each([
    ['{ arms: { a: 0, b: 1, c: 0 } }', 'b'],
    ['{ arms: { a: 0, b: 0, c: 0 } }', 'a'],
  ])('%s has only one possible outcome', async (args, arm) => {
    for (const from of callers.slice(0, 10)) expect(await armOf(args, from)).toBe(arm);
  });
});
