/**
 * Memory per concurrent call: resident memory is read while answered calls are held, compared with Asterisk in the same
 * run. `node bench/memory.ts [calls]`. Each call lasts 30 s; 50 start per second.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { startService } from '../test/e2e/service.ts';
import { sipp } from '../test/e2e/sipp.ts';
import { startAsterisk } from './asterisk.ts';
import { report } from './figure.ts';
import { residentKb } from './process-figures.ts';

const calls = Number(process.argv[2] ?? 500);
const rate = 50;
const FEW = 5;
const scenario = join(import.meta.dirname, 'scenarios/hold.xml');
const FLOW = `
flow: hold
start: answer
steps:
  answer: { answer: {}, next: wait }
  wait: { pause: 5m, next: bye }
  bye: { hangup: normal }
`;

/** kB for each call, including compiled code and grown heaps: difference between a few calls and all calls. */
async function kbPerCall(pid: number, target: string): Promise<number> {
  const options = { scenario, target, address: '127.0.0.21', number: '6001', withinSeconds: 120 };
  const warm = await sipp({ ...options, calls: FEW, rate });
  if (warm.failed > 0) throw new Error(`${target}: ${warm.failed} calls failed`);
  const before = residentKb(pid);
  const held = sipp({ ...options, calls, rate });
  await elapse((calls / rate) * 1000 + 3000);
  const during = residentKb(pid);
  const { failed } = await held;
  if (failed > 0) throw new Error(`${target}: ${failed} of ${calls} calls failed`);
  return (during - before) / calls;
}

if (spawnSync('sh', ['-c', 'command -v sipp']).status !== 0) {
  process.stderr.write('needs sipp: apt-get install sip-tester\n');
  process.exit(2);
}
const service = await startService({
  directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
  address: '127.0.0.31',
  sip: { rtp_ports: [20000, 29999], limits: { calls: 2000, unanswered_calls: 2000 } },
  numbers: [{ number: '6001', flow: 'hold' }],
  flows: { 'hold.flow.yaml': FLOW },
});
const asterisk = await startAsterisk();
try {
  const ours = await kbPerCall(service.pid, service.sip);
  const peer = asterisk && (await kbPerCall(asterisk.pid, asterisk.sip));
  report('memory', ours, 'kB per concurrent call', peer);
} finally {
  await service.stop();
  asterisk?.stop();
}
