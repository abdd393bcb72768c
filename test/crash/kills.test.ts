/** A few kills of what `npm run crash -- 200` does many times; it takes whichever moments the seed gives. */
import { describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { killAgainAndAgain } from './kills.ts';

const sippProgram = program('sipp');
const ENOUGH_MS = 240_000;

describe(`kill -9 in the middle of mixed calls${sippProgram.why}`, () => {
  it.skipIf(sippProgram.missing)(
    'reports one end for everything, loses no call, and leaves playable recordings',
    async () => {
      const found = await killAgainAndAgain({ kills: 5, seed: 5, print: () => undefined });
      expect(found.problems).toEqual([]);
      expect([found.calls > 20, found.accepted > 20, found.recovered > 0]).toEqual([true, true, true]);
    },
    ENOUGH_MS,
  );
});
