/**
 * Rehearsal of 100,000 numbers with three attempts, about 300,000 calls of which every sixth is answered, in a process
 * of its own as with `callweave rehearse`. `node bench/rehearsal.ts [numbers]`. The peers are its limits: 60 seconds
 * and 300 MB.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as elapse } from 'node:timers/promises';
import { report } from './figure.ts';
import { peakKb } from './process-figures.ts';

const numbers = process.argv[2] ?? '100000';
const LIMITS = { seconds: 60, megabytes: 300 };
/** Poll interval. The kernel keeps the peak, which must be read before the process exits. */
const LOOKS_EVERY_MS = 20;

const BROADCAST = {
  application_name: 'reminder',
  from: '1000',
  action_on_connect: { play: { text: 'Doctor Lee expects you tomorrow. Press 1 if you come, 2 if not.', dtmf: true } },
  answering_machine_detection: true,
  call_param: { number_of_retries: 3, interval_between_retries: 300 },
};
const CALLEES = `
groups:
  - { name: answers, share: 9, presses: [{ "1": 70, "2": 20, none: 10 }] }
  - { name: hangs up, share: 3, talk: { from: 1s, to: 6s } }
  - { name: voicemail, share: 6, is: machine }
  - { name: nobody there, share: 47, does: no_answer }
  - { name: busy, share: 28, does: busy }
  - { name: not allocated, share: 2, does: fail, sip_status: 404, sticks: true }
  - { name: network trouble, share: 5, does: fail, sip_status: 503 }
`;

const folder = mkdtempSync(join(tmpdir(), 'callweave-bench-'));
try {
  writeFileSync(join(folder, 'broadcast.json'), JSON.stringify(BROADCAST));
  writeFileSync(join(folder, 'callees.yaml'), CALLEES);
  const begunMs = performance.now();
  const command = ['rehearse', 'broadcast.json', '--callees', 'callees.yaml', '--numbers', numbers, '--limit', '0'];
  const child = spawn(process.execPath, [join(import.meta.dirname, '../src/cli/main.ts'), ...command, '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  let over = false;
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      over = true;
      resolve(code);
    });
  });
  let peak = 0;
  while (!over) {
    peak = Math.max(peak, peakOf(child.pid!));
    await Promise.race([ended, elapse(LOOKS_EVERY_MS)]);
  }
  const seconds = (performance.now() - begunMs) / 1000;
  if ((await ended) !== 0) throw new Error('the rehearsal failed');
  const { totals } = JSON.parse(text) as { totals: { numbers: number; disconnected: number; attempts: number } };
  if (totals.numbers !== Number(numbers) || totals.disconnected !== totals.numbers) throw new Error(text);
  report('rehearsal.seconds', seconds, 's', LIMITS.seconds);
  report('rehearsal.peak_mb', peak / 1024, 'MB', LIMITS.megabytes);
  report('rehearsal.calls_per_second', totals.attempts / seconds, '1/s');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** 0 if the process has exited. */
function peakOf(pid: number): number {
  try {
    return peakKb(pid) || 0;
  } catch {
    return 0;
  }
}
