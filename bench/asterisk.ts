/**
 * Starts the peer: an installed Asterisk, or one unpacked in the temporary directory, which is kept for the next run.
 */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Asterisk {
  pid: number;
  sip: string;
  stop(): void;
}

/** Undefined if Asterisk is unavailable; the reason is printed to standard error. */
export async function startAsterisk(): Promise<Asterisk | undefined> {
  const address = '127.0.0.20';
  const script = join(import.meta.dirname, 'peers/asterisk.sh');
  const started = spawnSync('bash', [script, join(tmpdir(), 'callweave-asterisk'), address], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = Number(started.stdout.trim().split('\n').at(-1));
  if (started.status !== 0 || !(pid > 0)) {
    process.stderr.write('no Asterisk to compare with: only our own figure is measured\n');
    return undefined;
  }
  return { pid, sip: `${address}:5060`, stop: () => process.kill(pid) };
}
