/**
 * Checks that a crash loses no data: `npm run crash -- [kills] [seed]` kills the service at random moments of mixed
 * calls, 200 times by default. Fails if an accepted call has no end or two ends, if a call is lost after its answer, if
 * an idempotency key places two calls, or if a recording cannot be played.
 */
import { killAgainAndAgain } from '../test/crash/kills.ts';
import { report } from './figure.ts';

const kills = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? 1);

const found = await killAgainAndAgain({ kills, seed, print: (line) => process.stderr.write(`crash: ${line}\n`) });
report('crash.calls', found.calls, 'calls with a final event');
report('crash.accepted', found.accepted, 'actions accepted on them');
report(
  'crash.recordings',
  found.recordings,
  'recordings that play, beside those that a crash cut off',
  found.recovered,
);
for (const problem of found.problems) process.stderr.write(`crash: ${problem}\n`);
process.exitCode = found.problems.length === 0 ? 0 : 1;
