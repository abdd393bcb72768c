/**
 * Callers who listen to a long tone, placed by sipp at a service of their own, and the gaps between packets for some of
 * them (`peers/gap-receiver.ts`). Audio of the other callers goes to a sink, because the receiver runs on the same
 * machine and must not cost much. Used by `gaps.ts` and `room-gaps.ts`.
 */
import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { type Service, startService } from '../test/e2e/service.ts';
import { type SippResult, sipp } from '../test/e2e/sipp.ts';
import { writeTone } from '../test/e2e/sound.ts';
import type { Gaps } from './peers/gap-receiver.ts';

/** Limit for the 99th percentile of gaps. */
export const MAX_GAP_MS = 40;
const CALLS_PER_SECOND = 50;
const SETTLING_MS = 3_000;
const CALLERS = '127.0.0.21';
const RECEIVER = '127.0.0.24';
const SINK = '127.0.0.25';
const NUMBER = '6002';
const FLOW = `
flow: announce
start: says
defaults: { exits: { error: bye } }
steps:
  says: { play: long_tone, next: bye }
  bye: { hangup: normal }
`;

export interface Listeners {
  service: Service;
  /** Gaps between consecutive packets during `ms`. */
  gaps(ms: number): Promise<Gaps>;
  /** Waits until the calls have ended. */
  end(): Promise<void>;
  stop(): Promise<void>;
}

/** Resolves when all callers listen; they continue for `seconds`. `lookedAt`: share of measured callers. */
export async function startListeners(options: {
  calls: number;
  lookedAt: number;
  seconds: number;
}): Promise<Listeners> {
  const { calls, lookedAt, seconds } = options;
  const rampMs = (calls / CALLS_PER_SECOND) * 1000;
  const callSeconds = (rampMs + 2 * SETTLING_MS) / 1000 + seconds;
  // The sink is never read: the kernel drops packets that exceed its buffer.
  const sink = createSocket('udp4').bind(0, SINK);
  await once(sink, 'listening');
  const receiver = fork(join(import.meta.dirname, 'peers/gap-receiver.ts'), [RECEIVER]);
  const [receiverPort] = (await once(receiver, 'message')) as [number];
  const service = await startService({
    directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
    address: '127.0.0.31',
    // Configured as a carrier: for other callers, audio stops if no packet arrives from their advertised address.
    sip: { rtp_ports: [20000, 29999], routes: [{ prefix: '9', uri: `sip:${CALLERS}` }] },
    numbers: [{ number: NUMBER, flow: 'announce' }],
    flows: flowsWithTone(callSeconds + (rampMs + SETTLING_MS) / 1000),
  });
  const listen = (share: number, port: number, sinkIp: string, sinkPort: number): Promise<SippResult> =>
    sipp({
      scenario: join(import.meta.dirname, 'scenarios/listen.xml'),
      ...{ target: service.sip, address: CALLERS, number: NUMBER, port },
      ...{ calls: Math.round(calls * share), rate: CALLS_PER_SECOND * share },
      more: [
        ...['-key', 'sink_ip', sinkIp, '-key', 'sink_port', String(sinkPort)],
        ...['-d', String(callSeconds * 1000)],
      ],
      withinSeconds: Math.ceil((2 * rampMs) / 1000 + seconds + 30),
    });
  const listening = [listen(lookedAt, 5066, RECEIVER, receiverPort)];
  if (lookedAt < 1) listening.push(listen(1 - lookedAt, 5067, SINK, sink.address().port));
  await elapse(rampMs + SETTLING_MS);
  return {
    service,
    async gaps(ms) {
      receiver.send('begin');
      await elapse(ms);
      receiver.send('end');
      const [gaps] = (await once(receiver, 'message')) as [Gaps];
      return gaps;
    },
    async end() {
      for (const { failed } of await Promise.all(listening)) if (failed > 0) throw new Error(`${failed} calls failed`);
    },
    async stop() {
      receiver.kill();
      sink.close();
      await service.stop();
    },
  };
}

function flowsWithTone(seconds: number): string {
  const flows = mkdtempSync(join(tmpdir(), 'callweave-bench-flows-'));
  mkdirSync(join(flows, 'prompts'));
  writeTone(join(flows, 'prompts/long_tone.wav'), 440, Math.ceil(seconds));
  writeFileSync(join(flows, 'announce.flow.yaml'), FLOW);
  return flows;
}
