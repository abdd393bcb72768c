/** sipp, the traffic generator: many real SIP calls by a scenario file. */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

export interface SippResult {
  successful: number;
  failed: number;
  output: string;
}

export interface SippOptions {
  scenario: string;
  target: string;
  address: string;
  number: string;
  calls: number;
  /** Calls started per second. */
  rate: number;
  port?: number;
  more?: readonly string[];
  withinSeconds?: number;
}

/** Runs the scenario to its end. */
export async function sipp(options: SippOptions): Promise<SippResult> {
  const { scenario, target, address, number, calls, rate, port = 5066, more = [], withinSeconds = 60 } = options;
  const child = spawn(
    'sipp',
    [
      target,
      ...['-sf', scenario, '-s', number, '-i', address, '-mi', address, '-p', String(port), '-mp', '16000'],
      ...['-m', String(calls), '-r', String(rate), '-l', '2000', '-timeout', `${withinSeconds}s`, '-nostdin', ...more],
    ],
    { cwd: dirname(scenario), stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, TERM: 'dumb' } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // Past its own time-out sipp waits on for calls that never end.
  const lastResort = setTimeout(() => child.kill('SIGKILL'), (withinSeconds + 10) * 1000);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(lastResort);
  return {
    successful: last(output, /Successful call\s*\|[^|]*\|\s*(\d+)/g),
    failed: last(output, /Failed call\s*\|[^|]*\|\s*(\d+)/g),
    output,
  };
}

function last(output: string, pattern: RegExp): number {
  return Number([...output.matchAll(pattern)].at(-1)?.[1] ?? 0);
}
