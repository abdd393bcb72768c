/**
 * How evenly a caller gets its sound while many listen at once: the times between one RTP packet and the next, as they
 * arrive. `node bench/gaps.ts [calls] [seconds]`. Every fifth call is looked at (`peers/gap-receiver.ts`): the receiver
 * shares this machine and has to cost little. The peer's figure is what no gap of the 99th percentile may exceed.
 */
import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { startService } from '../test/e2e/service.ts';
import { type SippResult, sipp } from '../test/e2e/sipp.ts';
import { writeTone } from '../test/e2e/sound.ts';
import { report } from './figure.ts';
import type { Gaps } from './peers/gap-receiver.ts';

const calls = Number(process.argv[2] ?? 500);
const seconds = Number(process.argv[3] ?? 20);
const LONGEST_GAP_MS = 40;
const LOOKED_AT = 0.2;
const CALLS_PER_SECOND = 50;
const SETTLING_MS = 3_000;
const CALLERS = '127.0.0.21';
const RECEIVER = '127.0.0.24';
const SINK = '127.0.0.25';
const rampMs = (calls / CALLS_PER_SECOND) * 1000;
const FLOW = `
flow: announce
start: says
defaults: { exits: { error: bye } }
steps:
  says: { play: long_tone, next: bye }
  bye: { hangup: normal }
`;

function listen(share: number, port: number, sinkIp: string, sinkPort: number): Promise<SippResult> {
  return sipp({
    scenario: join(import.meta.dirname, 'scenarios/listen.xml'),
    target: service.sip,
    address: CALLERS,
    number: '6002',
    calls: Math.round(calls * share),
    rate: CALLS_PER_SECOND * share,
    port,
    more: [
      ...['-key', 'sink_ip', sinkIp, '-key', 'sink_port', String(sinkPort)],
      ...['-d', String(rampMs + 2 * SETTLING_MS + seconds * 1000)],
    ],
    withinSeconds: Math.ceil((2 * rampMs) / 1000 + seconds + 30),
  });
}

const flows = mkdtempSync(join(tmpdir(), 'callweave-bench-flows-'));
mkdirSync(join(flows, 'prompts'));
const toneSeconds = Math.ceil((2 * rampMs + 3 * SETTLING_MS) / 1000 + seconds);
writeTone(join(flows, 'prompts/long_tone.wav'), 440, toneSeconds);
writeFileSync(join(flows, 'announce.flow.yaml'), FLOW);
// Nobody reads it: the system drops what does not fit.
const sink = createSocket('udp4').bind(0, SINK);
await once(sink, 'listening');
const receiver = fork(join(import.meta.dirname, 'peers/gap-receiver.ts'), [RECEIVER]);
const [receiverPort] = (await once(receiver, 'message')) as [number];
const service = await startService({
  directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
  address: '127.0.0.31',
  // A carrier's calls: the sound of strangers is stopped where nobody is heard from the place that they name.
  sip: { rtp_ports: [20000, 29999], routes: [{ prefix: '9', uri: `sip:${CALLERS}` }] },
  numbers: [{ number: '6002', flow: 'announce' }],
  flows,
});
try {
  const listening = Promise.all([
    listen(LOOKED_AT, 5066, RECEIVER, receiverPort),
    listen(1 - LOOKED_AT, 5067, SINK, sink.address().port),
  ]);
  await elapse(rampMs + SETTLING_MS);
  receiver.send('begin');
  await elapse(seconds * 1000);
  receiver.send('end');
  const [gaps] = (await once(receiver, 'message')) as [Gaps];
  for (const { failed } of await listening) if (failed > 0) throw new Error(`${failed} calls failed`);
  report('gaps.legs', gaps.sources, `of ${calls} calls looked at`);
  report('gaps.p50', gaps.p50Ms, 'ms between packets');
  report('gaps.p99', gaps.p99Ms, 'ms between packets', LONGEST_GAP_MS);
  report('gaps.max', gaps.maxMs, 'ms between packets');
} finally {
  receiver.kill();
  sink.close();
  await service.stop();
}
