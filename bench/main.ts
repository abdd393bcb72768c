/**
 * `npm run bench -- NAME [--json]`: runs one benchmark in a process of its own. Benchmarks print lines of `{name,
 * value, unit, peer, ratio}`: the measured value, the peer's value of the same run, and their ratio.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Figure } from './figure.ts';

const NOT_BENCHMARKS = new Set([
  'main.ts',
  'figure.ts',
  'clinic-flow.ts',
  'process-figures.ts',
  'paired-cost.ts',
  'ivr-calls.ts',
  'asterisk.ts',
  'listeners.ts',
  'talk.ts',
  'room-client.ts',
  'room-pages.ts',
  'soak.ts',
  'room-soak.ts',
  'crash.ts',
  'failovers.ts',
  'faults.ts',
  'decisions.ts',
  'probe.ts',
]);
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !NOT_BENCHMARKS.has(file))
  .map((file) => file.slice(0, -'.ts'.length));

const json = process.argv.includes('--json');
const [name, ...rest] = process.argv.slice(2).filter((argument) => argument !== '--json');
if (name === undefined || !names.includes(name) || !existsSync(`${import.meta.dirname}/${name}.ts`)) {
  process.stderr.write(`usage: npm run bench -- NAME [--json]\nbenchmarks: ${names.join(', ')}\n`);
  process.exit(2);
}

/** Enough for a million waiting runs, which exceed the default limit of the heap. */
const heap = name === 'parked' ? ['--max-old-space-size=12000'] : [];
const child = spawn(process.execPath, ['--expose-gc', ...heap, `${import.meta.dirname}/${name}.ts`, ...rest], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
for await (const line of createInterface({ input: child.stdout })) {
  process.stdout.write(json ? `${line}\n` : readable(JSON.parse(line) as Figure));
}
process.exitCode = child.exitCode ?? 1;

function readable({ name: figure, value, unit, peer, ratio }: Figure): string {
  const beside = peer === undefined || peer === null ? '' : `   peer ${peer}   ratio ${ratio}`;
  return `${figure.padEnd(32)} ${String(value).padStart(12)} ${unit}${beside}\n`;
}
