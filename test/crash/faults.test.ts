/** A few rounds of `npm run faults`; FAULT_ROUNDS: how many, FAULT_SEED: other moments. */
import { expect, it } from 'vitest';
import { program } from '../programs.ts';
import { redisProgram } from '../redis-server.ts';
import { befallAgainAndAgain } from './faults.ts';

const rounds = Number(process.env['FAULT_ROUNDS'] ?? 4);
const seed = Number(process.env['FAULT_SEED'] ?? 1);
const sipp = program('sipp');

it.skipIf(redisProgram.missing || sipp.missing)(
  `loses no call of other nodes after a crash, and repeats no effect or event without a reason${redisProgram.why}${sipp.why}`,
  { timeout: rounds * 60_000 + 120_000 },
  async () => {
    const { problems, calls, events } = await befallAgainAndAgain({ rounds, seed });
    expect(problems).toEqual([]);
    expect(calls).toBeGreaterThan(rounds);
    expect(events).toBeGreaterThan(calls);
  },
);
