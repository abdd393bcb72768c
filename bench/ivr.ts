/**
 * CPU seconds for 1000 short IVR calls (answer, prompt, digit by RFC 4733, prompt, hangup), compared with Asterisk in
 * the same run. `node bench/ivr.ts [calls] [calls per second]`. sipp places the calls. `live.ts` measures the effect of
 * open studios on these calls.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../test/e2e/service.ts';
import { startAsterisk } from './asterisk.ts';
import { report } from './figure.ts';
import { IVR_NUMBER, ivrFlows, placeIvrCalls, requireSipp } from './ivr-calls.ts';
import { cpuSeconds } from './process-figures.ts';

const calls = Number(process.argv[2] ?? 1000);
const rate = Number(process.argv[3] ?? 30);

async function measure(pid: number, target: string): Promise<number> {
  const order = { target, address: '127.0.0.21', rate };
  await placeIvrCalls({ ...order, calls: Math.min(200, calls) });
  const before = cpuSeconds(pid);
  await placeIvrCalls({ ...order, calls });
  return ((cpuSeconds(pid) - before) / calls) * 1000;
}

requireSipp();
const directory = mkdtempSync(join(tmpdir(), 'callweave-bench-'));
const service = await startService({ directory, address: '127.0.0.31', numbers: [IVR_NUMBER], flows: ivrFlows() });
const asterisk = await startAsterisk();
try {
  const ours = await measure(service.pid, service.sip);
  const peer = asterisk && (await measure(asterisk.pid, asterisk.sip));
  report('ivr', ours, 'CPU-s per 1000 calls', peer);
} finally {
  await service.stop();
  asterisk?.stop();
}
