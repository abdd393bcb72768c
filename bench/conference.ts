/**
 * CPU of conferences with 16 simultaneous speakers, per conference and second, compared with Asterisk in the same run.
 * `node bench/conference.ts [conferences] [seconds]`. sipp is all participants.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { startService } from '../test/e2e/service.ts';
import { startAsterisk } from './asterisk.ts';
import { report } from './figure.ts';
import { cpuSeconds } from './process-figures.ts';
import { talk } from './talk.ts';

const conferences = Number(process.argv[2] ?? 4);
const seconds = Number(process.argv[3] ?? 10);
const MEMBERS = 16;
const JOINING_MS = 3000;
/** Warm-up while code is compiled. */
const WARMING_MS = 8000;
const FLOW = `
flow: meet
start: meet
defaults: { exits: { error: bye } }
steps:
  meet: { conference: { name: "\${ call.to }" }, exits: { left: bye, ended: bye, full: bye } }
  bye: { hangup: normal }
`;

const numbers = Array.from({ length: conferences }, (_, index) => String(8001 + index));

async function measure(pid: number, target: string): Promise<number> {
  const talkMs = JOINING_MS + WARMING_MS + seconds * 1000 + 3000;
  const talks = numbers.map((number, index) =>
    talk({ target, number, calls: MEMBERS, rate: MEMBERS, talkMs, port: 5066 + index }),
  );
  await elapse(JOINING_MS + WARMING_MS);
  const before = cpuSeconds(pid);
  await elapse(seconds * 1000);
  const used = cpuSeconds(pid) - before;
  await Promise.all(talks);
  return (used / conferences / seconds) * 1000;
}

const service = await startService({
  directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
  address: '127.0.0.31',
  sip: { rtp_ports: [20000, 29999], limits: { calls: 2000, unanswered_calls: 2000 } },
  numbers: numbers.map((number) => ({ number, flow: 'meet' })),
  flows: { 'meet.flow.yaml': FLOW },
});
const asterisk = await startAsterisk();
try {
  const ours = await measure(service.pid, service.sip);
  const peer = asterisk && (await measure(asterisk.pid, asterisk.sip));
  report('conference', ours, 'CPU-ms per second of a conference of 16', peer);
} finally {
  await service.stop();
  asterisk?.stop();
}
