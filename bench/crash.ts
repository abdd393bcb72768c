/**
 * Checks that a crash loses no data: `npm run crash -- [kills] [seed]` kills the service at random moments of mixed
 * calls, 200 times by default. Fails if an accepted call has no end or two ends, if a call is lost after its answer, if
 * an idempotency key places two calls, if a recording cannot be played, or if `/health`, `/ready`, alerts or findings of
 * `callweave doctor` contradict the kills.
 */
import { killAgainAndAgain } from '../test/crash/kills.ts';
import { report } from './figure.ts';

const kills = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? 1);

const print = (line: string): void => void process.stderr.write(`crash: ${line}\n`);
const found = await killAgainAndAgain({ kills, seed, print, watchesHealth: true });
report('crash.calls', found.calls, 'calls with a final event');
report('crash.accepted', found.accepted, 'actions accepted on them');
report(
  'crash.recordings',
  found.recordings,
  'recordings that play, beside those that a crash cut off',
  found.recovered,
);
if (found.health) {
  const { samples, alerts, doctors } = found.health;
  report('crash.health', samples, 'samples of the reported health');
  report('crash.alerts', alerts, 'evaluations at which an alert fired');
  report('crash.doctors', doctors, 'runs of callweave doctor');
}
for (const problem of found.problems) process.stderr.write(`crash: ${problem}\n`);
process.exitCode = found.problems.length === 0 ? 0 : 1;
