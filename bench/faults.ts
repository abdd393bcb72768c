/**
 * Checks the guarantees of a cluster under faults: `npm run faults -- [rounds] [seed]`. By default, 50 faults at random
 * moments of three nodes with calls: `kill -9`, three seconds suspended or without Redis, and failovers of Redis.
 * Health, alerts and findings of `callweave doctor` are compared with the faults. If a guarantee was broken, a folder
 * keeps the evidence of phones, receivers and logs; with CALLWEAVE_LOG_LEVEL=debug the logs say which node sent which
 * event.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { befallAgainAndAgain } from '../test/crash/faults.ts';

const rounds = Number(process.argv[2] ?? 50);
const seed = Number(process.argv[3] ?? 1);

const print = (line: string): void => void process.stderr.write(`faults: ${line}\n`);
// An interrupt prints the figures of the rounds so far.
const enough = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => enough.abort());

const evidence = join(tmpdir(), `callweave-faults-${seed}-${process.pid}`);
const found = await befallAgainAndAgain({ rounds, seed, print, enough: enough.signal, evidence, watchesHealth: true });
const { toldMs, problems, ...counts } = found;
toldMs.sort((a, b) => a - b);
const told = { calls: toldMs.length, p50: toldMs[toldMs.length >> 1] ?? null, longest: toldMs.at(-1) ?? null };
for (const problem of problems) print(problem);
if (problems.length > 0) print(`what was seen is in ${evidence}`);
console.log(JSON.stringify({ seed, ...counts, toldMs: told, problems: problems.length }));
process.exit(problems.length === 0 ? 0 : 1);
