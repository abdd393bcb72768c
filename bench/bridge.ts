/**
 * CPU seconds for 1000 bridged calls (caller, callee, four seconds of audio in both directions), compared with Asterisk
 * in the same run. `node bench/bridge.ts [calls] [calls per second]`. sipp is both parties.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../test/e2e/service.ts';
import { startAsterisk } from './asterisk.ts';
import { report } from './figure.ts';
import { cpuSeconds } from './process-figures.ts';
import { CALLEE_SIP, startCallee, talk } from './talk.ts';

const calls = Number(process.argv[2] ?? 400);
const rate = Number(process.argv[3] ?? 20);
const TALK_MS = 4000;
/** Warm-up: a service runs for months, so compiling its code in the first seconds is not part of a call's cost. */
const WARMING_CALLS = 200;
const FLOW = `
flow: connect
start: connect
defaults: { exits: { error: bye, failed: bye } }
steps:
  connect: { bridge: { to: "\${ call.to }", ring_timeout: 20s }, exits: { completed: bye } }
  bye: { hangup: normal }
`;

async function measure(pid: number, target: string): Promise<number> {
  const talks = { target, number: '7001', rate, talkMs: TALK_MS };
  await talk({ ...talks, calls: WARMING_CALLS });
  const before = cpuSeconds(pid);
  await talk({ ...talks, calls });
  return ((cpuSeconds(pid) - before) / calls) * 1000;
}

const service = await startService({
  directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
  address: '127.0.0.31',
  sip: { rtp_ports: [20000, 29999], routes: [{ prefix: '', uri: `sip:${CALLEE_SIP}` }] },
  numbers: [{ number: '7001', flow: 'connect' }],
  flows: { 'connect.flow.yaml': FLOW },
});
const asterisk = await startAsterisk();
const callee = startCallee();
try {
  const ours = await measure(service.pid, service.sip);
  const peer = asterisk && (await measure(asterisk.pid, asterisk.sip));
  report('bridge', ours, 'CPU-s per 1000 bridged calls', peer);
} finally {
  callee.stop();
  await service.stop();
  asterisk?.stop();
}
