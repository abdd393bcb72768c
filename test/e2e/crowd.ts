/**
 * Many callees with the same behaviour: sipp plays them, and its notes of each call are read back by number. The steps
 * write the notes with `notes` of `scenario.ts`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { called, calleeScenario, expects, notes, responds, type Step, sdp } from './scenario.ts';
import { startSipp } from './sipp.ts';

export const CROWD_PORT = 5070;
/** More than any test dials: sipp would exit after the last call, and not count others. */
const NO_END = 1_000_000;

/** Takes the call, with sound and keys. */
export const ANSWERS: readonly Step[] = [
  called(),
  notes('called'),
  responds(180),
  responds(200, { body: sdp({ keys: true }), repeats: true }),
  expects('ACK'),
  notes('answered'),
];

export interface Crowd {
  address: string;
  /** Notes of each number so far, in order. */
  seen(): Map<string, string[]>;
  stop(): Promise<void>;
}

export async function startCrowd(address: string, steps: readonly Step[]): Promise<Crowd> {
  const scenario = calleeScenario(steps);
  const log = join(dirname(scenario), 'notes');
  const run = await startSipp({
    scenario,
    target: address,
    address,
    number: 'nobody',
    calls: NO_END,
    rate: 10,
    port: CROWD_PORT,
    withinSeconds: 120,
    more: ['-recv_timeout', '20000', '-trace_logs', '-log_file', log],
  });
  return {
    address,
    seen() {
      const seen = new Map<string, string[]>();
      for (const line of existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []) {
        const [word, number] = line.split(' ');
        if (word && number) seen.set(number, [...(seen.get(number) ?? []), word]);
      }
      return seen;
    },
    async stop() {
      run.stop();
      await run.ended;
    },
  };
}
