/**
 * Soak test: calls of every kind for a long time, then a check for leftover resources. `npm run soak -- [minutes]
 * [calls per second] [sessions of rooms]`, by default 30 minutes at 10, and 200 sessions. Fails if memory or the cost
 * of a call grew after the first fifth, if a call record has no end or a call not exactly one final event, or if
 * sockets, timers or calls are left; likewise after the room sessions. With 0 minutes, only rooms are tested.
 */
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { type Service, startService } from '../test/e2e/service.ts';
import { startReceiver } from '../test/e2e/webhook-receiver.ts';
import { median, report } from './figure.ts';
import { cpuSeconds, residentKb } from './process-figures.ts';
import { soakRooms, timersOf } from './room-soak.ts';
import { CALLEE_SIP, callerFlows, startCallee, talk } from './talk.ts';

const minutes = Number(process.argv[2] ?? 30);
const rate = Number(process.argv[3] ?? 10);
const roomSessions = Number(process.argv[4] ?? 200);
/** Share of each kind of call, and the duration of its callers' stay. */
const KINDS = [
  { number: '1001', share: 0.3, talkMs: 1500 },
  { number: '1002', share: 0.2, talkMs: 4000 },
  { number: '7001', share: 0.3, talkMs: 3000 },
  { number: '8001', share: 0.2, talkMs: 4000 },
];
const ADDRESS = '127.0.0.31';
const SAMPLE_MS = 5000;
/** Time for records and events to be written. SIP transactions are kept for 32 s (RFC 3261 §17, 64 × T1). */
const SETTLING_MS = 45_000;
const MAX_GROWTH = 1.1;
/** For CPU time, which other load on the machine also affects. */
const MAX_CPU_GROWTH = 1.3;
const FLOWS = {
  // Callers hang up in the middle of all these flows.
  ...callerFlows('${ call.to }'),
  'meet.flow.yaml': `
flow: meet
start: meets
defaults: { exits: { error: bye } }
steps:
  meets: { conference: { name: all }, exits: { left: bye, ended: bye, full: bye } }
  bye: { hangup: normal }
`,
};
const FLOW_OF: Readonly<Record<string, string>> = {
  1001: 'announce',
  1002: 'voicemail',
  7001: 'connect',
  8001: 'meet',
};

interface Sample {
  kb: number;
  files: number;
  /** CPU time since its start, in seconds. */
  cpu: number;
}

const sampleOf = (pid: number): Sample => ({
  kb: residentKb(pid),
  files: readdirSync(`/proc/${pid}/fd`).length,
  cpu: cpuSeconds(pid),
});

/** Number of call records, and of those without an end. */
async function recordsOf(service: Service): Promise<{ calls: number; open: number }> {
  const counted = { calls: 0, open: 0 };
  for (let cursor = ''; ; ) {
    const { body } = await service.api('GET', `/voice/v1/call?limit=500${cursor && `&cursor=${cursor}`}`);
    const calls = body['calls'] as { ended?: string }[];
    counted.calls += calls.length;
    counted.open += calls.filter(({ ended }) => ended === undefined).length;
    if (body['next'] === undefined) return counted;
    cursor = String(body['next']);
  }
}

const receiver = await startReceiver('127.0.0.32');
const finals = new Map<unknown, number>();
const service = await startService({
  directory: mkdtempSync(join(tmpdir(), 'callweave-soak-')),
  address: ADDRESS,
  sip: { rtp_ports: [20000, 29999], routes: [{ prefix: '', uri: `sip:${CALLEE_SIP}` }] },
  numbers: KINDS.map(({ number }) => ({ number, flow: FLOW_OF[number], webhook: receiver.url })),
  flows: FLOWS,
});
const callee = startCallee();

/** Discards events after counting, so that this process's memory does not grow. */
function countFinals(): void {
  for (const { body } of receiver.events.splice(0)) {
    const isFinal = body['state'] === 'disconnected' || body['state'] === 'failed';
    if (isFinal) finals.set(body['voice_id'], (finals.get(body['voice_id']) ?? 0) + 1);
  }
}

const problems: string[] = [];
let placed = 0;
try {
  if (minutes > 0) await soakCalls();
  if (roomSessions > 0) problems.push(...(await soakRooms(service, ADDRESS, roomSessions)));
} finally {
  callee.stop();
  const code = await service.stop();
  if (code !== 0) problems.push(`the service stopped with ${code}`);
  await receiver.stop();
}
for (const problem of problems) process.stderr.write(`soak: ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function soakCalls(): Promise<void> {
  // Warm-up with a few calls of each kind: compiles code and fills caches.
  const some = 10;
  for (const { number, talkMs } of KINDS) await talk({ target: service.sip, number, calls: some, rate: 10, talkMs });
  placed += some * KINDS.length;
  await elapse(SETTLING_MS);
  const before = sampleOf(service.pid);
  const timersBefore = await timersOf(service);

  const samples: Sample[] = [];
  let over = false;
  const traffic = KINDS.map(({ number, share, talkMs }, index) => {
    const calls = Math.round(minutes * 60 * rate * share);
    placed += calls;
    return talk({ target: service.sip, number, calls, rate: rate * share, talkMs, port: 5066 + index });
  });
  const ended = Promise.allSettled(traffic).then((results) => {
    over = true;
    for (const result of results) if (result.status === 'rejected') problems.push(String(result.reason));
  });
  while (!over) {
    await elapse(SAMPLE_MS);
    samples.push(sampleOf(service.pid));
    countFinals();
  }
  await ended;
  await elapse(SETTLING_MS);
  countFinals();

  const fifth = Math.floor(samples.length / 5);
  /** Medians of the second fifth and the last fifth. */
  const earlyAndLate = (all: readonly number[]) =>
    [median(all.slice(fifth, 2 * fifth)), median(all.slice(-fifth))] as const;
  const [early, late] = earlyAndLate(samples.map(({ kb }) => kb));
  // Share of one core, at a constant call rate.
  const shares = samples.slice(1).map(({ cpu }, index) => (cpu - samples[index]!.cpu) / (SAMPLE_MS / 1000));
  const [earlyShare, lateShare] = earlyAndLate(shares);
  const after = sampleOf(service.pid);
  const timersAfter = await timersOf(service);
  const records = await recordsOf(service);
  const twice = [...finals.values()].filter((count) => count !== 1).length;
  report('soak.calls', placed, 'calls placed', records.calls);
  report('soak.memory', late / 1024, 'MB resident in the last fifth, beside the second', early / 1024);
  report('soak.cpu', lateShare, 'of a core in the last fifth, beside the second', earlyShare);
  report('soak.files', after.files, 'open files afterwards, beside before', before.files);
  report('soak.timers', timersAfter, 'timers afterwards, beside before', timersBefore);
  if (late > early * MAX_GROWTH) problems.push(`memory grew from ${early} kB to ${late} kB`);
  if (lateShare > earlyShare * MAX_CPU_GROWTH) problems.push(`the same calls cost ${lateShare} after ${earlyShare}`);
  if (records.calls !== placed) problems.push(`${placed} calls were placed, ${records.calls} are on record`);
  if (records.open > 0) problems.push(`${records.open} calls have no end`);
  if (finals.size !== placed) problems.push(`${finals.size} of ${placed} calls had a final event`);
  if (twice > 0) problems.push(`${twice} calls had more than one final event`);
  if (after.files > before.files + 5) problems.push(`${after.files - before.files} files or sockets are left`);
  if (timersAfter > timersBefore + 5) problems.push(`${timersAfter - timersBefore} timers are left`);
}
