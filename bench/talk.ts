/**
 * Two talking parties, placed by sipp with audio in both directions: callers (`talk.xml`) and callees (`callee.xml`).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type SippResult, sipp } from '../test/e2e/sipp.ts';

/** Address of the callers. */
export const CALLER = '127.0.0.21';

/** Route of a carrier in the configuration: its address is that of the callers, which are thus known and not limited. */
export const CALLER_ROUTE = { prefix: '999', uri: `sip:${CALLER}:5066` };

const CALLEE = { address: '127.0.0.22', port: 5067 };

/** Address of the callee of `startCallee`, for a carrier in the configuration. */
export const CALLEE_SIP = `${CALLEE.address}:${CALLEE.port}`;

/** sipp reads the audio from the folder of its scenario. */
export function withSpeech(scenario: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-bench-talk-'));
  copyFileSync(join(import.meta.dirname, 'scenarios', scenario), join(directory, scenario));
  const tone = ['-n', '-r', '8000', '-c', '1', '-t', 'ul', join(directory, 'speech.ulaw')];
  const made = spawnSync('sox', [...tone, 'synth', '10', 'sine', '440', 'gain', '-12']);
  if (made.status !== 0) throw new Error('sox could not make a tone');
  return join(directory, scenario);
}

/** A callee that rings, answers and talks until it is stopped. */
export function startCallee(): { stop(): void } {
  const { address, port } = CALLEE;
  const where = ['-i', address, '-mi', address, '-p', String(port), '-mp', '17000'];
  const scenario = withSpeech('callee.xml');
  const child: ChildProcess = spawn('sipp', ['-sf', scenario, ...where, '-nostdin'], {
    cwd: dirname(scenario),
    stdio: 'ignore',
    env: { ...process.env, TERM: 'dumb' },
  });
  return { stop: () => void child.kill('SIGKILL') };
}

export interface Talks {
  target: string;
  number: string;
  calls: number;
  /** Calls started per second. */
  rate: number;
  talkMs: number;
  /** Port of the callers. Concurrent groups need different ports. */
  port?: number;
}

export async function talk({ target, number, calls, rate, talkMs, port = 5066 }: Talks): Promise<SippResult> {
  const result = await sipp({
    scenario: withSpeech('talk.xml'),
    target,
    address: CALLER,
    number,
    calls,
    rate,
    port,
    more: ['-d', String(talkMs), '-mp', String(16_000 + (port - 5066) * 10)],
    withinSeconds: Math.ceil(calls / rate + talkMs / 1000 + 30),
  });
  if (result.failed > 0 || result.successful !== calls) {
    throw new Error(`${target}: ${result.successful} of ${calls} calls to ${number} succeeded`);
  }
  return result;
}

/** Flows for callers of long runs: one speaks, one records, one connects with `bridgeTo`. */
export const callerFlows = (bridgeTo: string) => ({
  'announce.flow.yaml': `
flow: announce
start: says
defaults: { exits: { error: bye } }
steps:
  says: { play: { text: "Welcome. All our agents are busy at the moment. Please hold the line." }, next: bye }
  bye: { hangup: normal }
`,
  'voicemail.flow.yaml': `
flow: voicemail
start: takes
defaults: { exits: { error: bye } }
steps:
  takes: { record: { max_length: 1m, beep: true }, exits: { recorded: bye, silence: bye } }
  bye: { hangup: normal }
`,
  'connect.flow.yaml': `
flow: connect
start: connects
defaults: { exits: { error: bye, failed: bye } }
steps:
  connects: { bridge: { to: "${bridgeTo}", ring_timeout: 20s, record: dual }, exits: { completed: bye } }
  bye: { hangup: normal }
`,
});
