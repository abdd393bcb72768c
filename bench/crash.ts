/**
 * Whether anything is lost by a violent end: `npm run crash -- [kills] [seed]` kills the service at so many random moments
 * of mixed calls, by default 200. Fails when something that was accepted has no end or two, when a call is lost after its
 * answer, when a key dials twice, or when a recording does not play.
 */
import { killAgainAndAgain } from '../test/crash/kills.ts';
import { report } from './figure.ts';

const kills = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? 1);

const found = await killAgainAndAgain({ kills, seed, print: (line) => process.stderr.write(`crash: ${line}\n`) });
report('crash.calls', found.calls, 'calls told of');
report('crash.accepted', found.accepted, 'actions accepted on them');
report(
  'crash.recordings',
  found.recordings,
  'recordings that play, beside those that a crash cut off',
  found.recovered,
);
for (const problem of found.problems) process.stderr.write(`crash: ${problem}\n`);
process.exitCode = found.problems.length === 0 ? 0 : 1;
