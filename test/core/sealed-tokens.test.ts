import { expect, it } from 'vitest';
import { countingIds } from '../../src/base/core/ids.ts';
import { createSealedTokens } from '../../src/base/core/sealed-tokens.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

it('accepts a token as long as its project has the same secret', () => {
  const secrets = new Map([['shop', ['first']]]);
  const tokens = createSealedTokens<{ name: string }>(
    { purpose: 'test', lifetimeMs: 1000 },
    {
      ...{ clock: new VirtualClock(), ids: countingIds(), secretsOf: (projectId) => secrets.get(projectId) ?? [] },
    },
  );
  const token = tokens.issue('shop', { name: 'Ann' });
  expect(tokens.read(token)).toMatchObject({ holder: { name: 'Ann', projectId: 'shop' } });

  secrets.set('shop', ['second', 'first']);
  expect(tokens.read(token)).toMatchObject({ holder: { name: 'Ann' } });
  secrets.set('shop', ['second']);
  expect(tokens.read(token)).toEqual({ refused: 'forged' });
  expect(tokens.read(tokens.issue('shop', { name: 'Ben' }))).toMatchObject({ holder: { name: 'Ben' } });

  secrets.delete('shop');
  expect(tokens.read(token)).toEqual({ refused: 'forged' });
  expect(() => tokens.issue('shop', { name: 'Cleo' })).toThrow('no project shop');

  secrets.set('shop', ['first']);
  expect(tokens.read(token)).toMatchObject({ holder: { name: 'Ann' } });
});
