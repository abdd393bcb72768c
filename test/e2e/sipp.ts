/** sipp, the traffic generator: many real SIP calls by a scenario file. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const DEFAULT_PORT = 5066;

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
  mediaPort?: number;
  more?: readonly string[];
  withinSeconds?: number;
}

/** A scenario that is being played. */
export interface SippRun {
  ended: Promise<SippResult>;
  /** Starts no more calls; ends with the last one. */
  finish(): void;
  /** Stops sipp in any state of its calls. */
  stop(): void;
}

/** Runs the scenario to its end. */
export const sipp = async (options: SippOptions): Promise<SippResult> => run(options).ended;

/** Runs the scenario; resolves when sipp listens. */
export async function startSipp(options: SippOptions): Promise<SippRun> {
  const sippRun = run(options);
  let over = false;
  void sippRun.ended.then(() => (over = true));
  while (!over && !isListening(options.address, options.port ?? DEFAULT_PORT)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return sippRun;
}

function run(options: SippOptions): SippRun {
  const { scenario, target, address, number, calls, rate, port = DEFAULT_PORT, mediaPort = 16_000 } = options;
  const { more = [], withinSeconds = 60 } = options;
  const child = spawn(
    'sipp',
    [
      target,
      ...['-sf', scenario, '-s', number, '-i', address, '-mi', address, '-p', String(port), '-mp', String(mediaPort)],
      ...['-m', String(calls), '-r', String(rate), '-l', '2000', '-timeout', `${withinSeconds}s`, '-nostdin', ...more],
    ],
    { cwd: dirname(scenario), stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, TERM: 'dumb' } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // Past its own time-out sipp waits on for calls that never end.
  const lastResort = setTimeout(() => child.kill('SIGKILL'), (withinSeconds + 10) * 1000);
  const ended = new Promise<SippResult>((resolve) =>
    child.once('close', () => {
      clearTimeout(lastResort);
      resolve({
        successful: last(output, /Successful call\s*\|[^|]*\|\s*(\d+)/g),
        failed: last(output, /Failed call\s*\|[^|]*\|\s*(\d+)/g),
        output,
      });
    }),
  );
  return { ended, finish: () => void child.kill('SIGUSR1'), stop: () => void child.kill('SIGKILL') };
}

/**
 * True if a socket listens at the address. Linux lists address and port in hexadecimal, the address with its last byte
 * first.
 */
export function isListening(address: string, port: number, protocol: 'udp' | 'tcp' = 'udp'): boolean {
  const bytes = address.split('.').map(Number).reverse();
  const place = `${Buffer.from(bytes).toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
  // 0A: LISTEN.
  const listening = protocol === 'tcp' ? ` ${place} 00000000:0000 0A` : ` ${place} `;
  return readFileSync(`/proc/net/${protocol}`, 'utf8').includes(listening);
}

function last(output: string, pattern: RegExp): number {
  return Number([...output.matchAll(pattern)].at(-1)?.[1] ?? 0);
}
