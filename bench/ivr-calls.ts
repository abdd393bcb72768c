/** Short IVR calls placed by sipp: answer, prompt, digit (RFC 4733), prompt, hangup. Used by `ivr.ts` and `live.ts`. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sipp } from '../test/e2e/sipp.ts';
import { writeTone } from '../test/e2e/sound.ts';

/** Number whose flow answers the calls. */
export const IVR_NUMBER = { number: '1000', flow: 'bench' };
const FLOW = `
flow: bench
start: ask
defaults: { exits: { error: bye } }
steps:
  ask:
    menu: { prompt: two_seconds, choices: { one: { dtmf: "1" } }, attempts: 1, start_timeout: 5s, no_input: [two_seconds], no_match: [two_seconds] }
    exits: { one: one, exhausted: other }
  one: { play: one_second, next: bye }
  other: { play: two_seconds, next: bye }
  bye: { hangup: normal }
`;

export interface PlacedCalls {
  target: string;
  /** Address of the caller. */
  address: string;
  calls: number;
  /** Calls started per second. */
  rate: number;
}

/** Exits the process if a required program is missing. */
export function requireSipp(): void {
  if (spawnSync('sh', ['-c', 'command -v sipp sox']).status === 0) return;
  process.stderr.write('needs sipp and sox: apt-get install sip-tester sox\n');
  process.exit(2);
}

/** Creates a directory with the flow and its prompts. */
export function ivrFlows(): string {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-bench-flows-'));
  mkdirSync(join(directory, 'prompts'));
  writeTone(join(directory, 'prompts/two_seconds.wav'), 440, 2);
  writeTone(join(directory, 'prompts/one_second.wav'), 660, 1);
  writeFileSync(join(directory, 'bench.flow.yaml'), FLOW);
  return directory;
}

/** Places the calls. Returns the time until each was answered, in ms. */
export async function placeIvrCalls({ target, address, calls, rate }: PlacedCalls): Promise<number[]> {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-bench-sipp-'));
  const scenario = join(directory, 'ivr.xml');
  copyFileSync(join(import.meta.dirname, 'scenarios/ivr.xml'), scenario);
  const more = ['-trace_rtt', '-rtt_freq', '1'];
  const { number } = IVR_NUMBER;
  const { successful, failed } = await sipp({
    ...{ scenario, target, address, number, rate, calls, more, withinSeconds: 300 },
  });
  if (failed > 0 || successful !== calls) throw new Error(`${target}: ${failed} of ${calls} calls failed`);
  const file = readdirSync(directory).find((name) => name.endsWith('_rtt.csv'));
  const rows = file === undefined ? [] : readFileSync(join(directory, file), 'utf8').trim().split('\n').slice(1);
  rmSync(directory, { recursive: true });
  return rows.map((row) => Number(row.split(';')[1]));
}
