/**
 * `kill -9` at random moments, with repeated restarts on the same data, under constant mixed traffic: callers (sipp),
 * outbound calls, bridges, recordings, streams, conferences, rooms and broadcasts. The guarantees are checked after the
 * last process has finished its calls; see `account.ts`.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { CALLEE_SIP, callerFlows, startCallee, withSpeech } from '../../bench/talk.ts';
import { seededRandom } from '../../src/base/core/ids.ts';
import { type Service, type ServiceOptions, startService } from '../e2e/service.ts';
import { startSipp } from '../e2e/sipp.ts';
import { type Receiver, startReceiver } from '../e2e/webhook-receiver.ts';
import { check } from './account.ts';
import { askDoctor, type DoctorSeen } from './doctor-watch.ts';
import { healthProblems, type Trouble } from './health-account.ts';
import { watchHealth } from './health-watch.ts';
import { drive, type Ledger, OWN, SERVICE, sendKeyed } from './traffic.ts';

export interface Kills {
  kills: number;
  seed: number;
  print(line: string): void;
  /** Compares the reported health, alerts and `callweave doctor` with the kills, too. */
  watchesHealth?: boolean;
}

export interface KillReport {
  calls: number;
  accepted: number;
  recordings: number;
  recovered: number;
  /** Samples of the reported health, and findings of `callweave doctor`; absent if they were not watched. */
  health?: { samples: number; alerts: number; doctors: number };
  problems: string[];
}

const ADDRESS = '127.0.0.142';
const CALLERS = '127.0.0.143';
const PROMETHEUS = '127.0.0.141';
/** Lives between runs of `callweave doctor`; such a life lasts until its end. */
const DOCTOR_EVERY = 10;
const MAX_LIFE_MS = 3000;
const SHORTEST_LIFE_MS = 150;
/** Time limit for the remaining events and the end of active broadcasts. */
const REST_MS = 120_000;
const FLOWS = callerFlows('7000009');
/** A call that is accepted automatically and controlled by REST; a recorded bridge; a voicemail. */
const NUMBERS = [
  { number: OWN, auto_accept: true },
  { number: '1002', flow: 'connect' },
  { number: '1003', flow: 'voicemail' },
];

export async function killAgainAndAgain({ kills, seed, print, watchesHealth = false }: Kills): Promise<KillReport> {
  const random = seededRandom(seed);
  const receiver = await startReceiver(ADDRESS);
  const options: ServiceOptions = {
    directory: mkdtempSync(join(tmpdir(), 'callweave-kills-')),
    address: ADDRESS,
    sip: { rtp_ports: [20_000, 29_999], routes: [{ prefix: '', uri: `sip:${CALLEE_SIP}` }] },
    numbers: NUMBERS.map((number) => ({ ...number, webhook: receiver.url })),
    more: {
      limits: { requests_per_second: 1000, request_burst: 1000 },
      broadcasts: { project: { calls_per_second: 20 } },
      rooms: [{ room_id: 'lobby' }],
    },
    flows: FLOWS,
  };
  const ledger: Ledger = { accepted: [], placed: [], broadcasts: [], keyed: new Map(), refused: 0, dialled: [] };
  const troubles: Trouble[] = [];
  const doctors: DoctorSeen[] = [];
  let deadSinceMs = Date.now();
  const start = async (): Promise<Service> => {
    const started = await startService(options);
    const nowMs = Date.now();
    troubles.push({ kind: 'kill', node: SERVICE, fromMs: deadSinceMs, healedMs: nowMs, untilMs: nowMs });
    return started;
  };
  const watch = watchesHealth
    ? await watchHealth([{ name: SERVICE, url: `http://${ADDRESS}:8080` }], PROMETHEUS)
    : undefined;
  let service: Service | undefined;
  try {
    for (let life = 1; life <= kills; life++) {
      service = await start();
      const asked = watchesHealth && life % DOCTOR_EVERY === 0 ? askDoctor(SERVICE, service) : undefined;
      deadSinceMs = await live(service, receiver, ledger, { random, life, until: asked });
      if (asked) doctors.push(await asked);
      service = undefined;
      if (life % 10 === 0)
        print(`${life} of ${kills} kills: ${ledger.placed.length} calls out, ${receiver.events.length} events`);
    }
    service = await start();
    const callee = startCallee();
    const problems = await rest(service, receiver, ledger).finally(() => callee.stop());
    problems.push(...check(ledger.accepted, ledger.placed, receiver.events));
    problems.push(...(await twiceCalled(service, ledger)));
    const { recordings, wrong } = await play(service, receiver);
    problems.push(...wrong);
    const health = await watch?.end().then((seen) => ({ seen, troubles, doctors, dialled: ledger.dialled }));
    if (health) problems.push(...healthProblems(health));
    const told = receiver.events.map(({ body }) => body);
    return {
      calls: new Set(told.map(({ voice_id: callId }) => callId)).size,
      accepted: ledger.accepted.length,
      recordings,
      recovered: told.filter(({ recovered }) => recovered === true).length,
      ...(health && {
        health: {
          samples: health.seen.samples.length,
          alerts: health.seen.alerts?.length ?? 0,
          doctors: doctors.length,
        },
      }),
      problems,
    };
  } finally {
    await service?.stop();
    await receiver.stop();
  }
}

/** Runs the service once and kills it. Returns the time of its death. */
async function live(
  service: Service,
  receiver: Receiver,
  ledger: Ledger,
  { random, life, until }: { random: () => number; life: number; until: Promise<unknown> | undefined },
): Promise<number> {
  const before = receiver.events.length;
  const up = new Set<string>();
  const callee = startCallee();
  const scenario = withSpeech('talk.xml');
  const callers = await Promise.all(
    NUMBERS.map(({ number }, index) =>
      startSipp({
        scenario,
        target: service.sip,
        address: CALLERS,
        number,
        calls: 1000,
        rate: 2,
        port: 5066 + index,
        mediaPort: 16_000 + index * 300,
        more: ['-d', String(400 + Math.floor(random() * 4000))],
      }),
    ),
  );
  for (const [key, { answer }] of ledger.keyed) if (!answer) await sendKeyed({ service }, ledger, key);
  const listening = setInterval(() => {
    up.clear();
    for (const { body } of receiver.events.slice(before)) {
      if (body['state'] === 'connected') up.add(String(body['voice_id']));
      if (body['state'] === 'disconnected') up.delete(String(body['voice_id']));
    }
  }, 50);
  let isUp = true;
  const watched = { ...service, isUp: () => isUp };
  const driven = drive({ service: watched, hook: receiver.url, chance: random, live: up }, ledger);
  // Sometimes right after the start, while events of an earlier run are still being sent.
  await elapse(life % 7 === 0 ? 5 : SHORTEST_LIFE_MS + random() * (MAX_LIFE_MS - SHORTEST_LIFE_MS));
  await until;
  const killedMs = Date.now();
  await service.kill();
  isUp = false;
  await driven;
  clearInterval(listening);
  callee.stop();
  for (const caller of callers) caller.stop();
  await Promise.all(callers.map(({ ended }) => ended));
  return killedMs;
}

/** Sends no more requests, and waits until everything has ended and is reported. */
async function rest(service: Service, receiver: Receiver, ledger: Ledger): Promise<string[]> {
  for (const [key, { answer }] of ledger.keyed) if (!answer) await sendKeyed({ service }, ledger, key);
  const untilMs = performance.now() + REST_MS;
  for (let hungUp = false; ; hungUp = true) {
    const records = await callsOf(service);
    const open = records.filter(({ ended }) => ended === undefined);
    const events = receiver.events.length;
    const over = new Set(
      receiver.events.flatMap(({ body }) => (body['state'] === 'broadcastcomplete' ? [body['app_instance']] : [])),
    );
    const running = ledger.broadcasts.filter((id) => !over.has(id));
    if (open.length === 0 && running.length === 0) {
      await elapse(2000);
      if (receiver.events.length === events) return [];
    }
    if (performance.now() > untilMs) {
      return [
        ...open.map(({ voice_id: callId }) => `${String(callId)} has no end in its record`),
        ...running.map((id) => `the broadcast ${id} has no end`),
      ];
    }
    // Parties dialled by this process never hang up.
    if (!hungUp || open.length > 0) {
      for (const { voice_id: callId } of open) await service.api('DELETE', `/voice/v1/call/${String(callId)}`);
    }
    await elapse(500);
  }
}

async function callsOf(service: Service): Promise<Record<string, unknown>[]> {
  const calls: Record<string, unknown>[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await service.api('GET', `/voice/v1/call?limit=500${cursor && `&cursor=${cursor}`}`);
    calls.push(...(body['calls'] as Record<string, unknown>[]));
    if (body['next'] === undefined) return calls;
    cursor = String(body['next']);
  }
}

/** Checks that each idempotency key has exactly one call, the one in the response. */
async function twiceCalled(service: Service, ledger: Ledger): Promise<string[]> {
  const byKey = new Map<string, string[]>();
  for (const { owner_ref: key, voice_id: callId } of await callsOf(service)) {
    if (typeof key === 'string') byKey.set(key, [...(byKey.get(key) ?? []), String(callId)]);
  }
  return [...ledger.keyed].flatMap(([key, { answer }]) => {
    const calls = byKey.get(key) ?? [];
    return calls.length === 1 && calls[0] === answer?.['voice_id']
      ? []
      : [`${key} has the calls ${calls.join() || 'none'}`];
  });
}

/** Every recording reported as completed must exist and be a complete WAV file. */
async function play(service: Service, receiver: Receiver): Promise<{ recordings: number; wrong: string[] }> {
  const told = new Set(
    receiver.events.flatMap(({ body }) => {
      const last = body['recording_url'];
      const all = body['recordings'];
      const urls = Array.isArray(all) ? (all as { recording_url: string }[]).map((each) => each.recording_url) : [];
      return [...(typeof last === 'string' ? [last] : []), ...urls];
    }),
  );
  const wrong: string[] = [];
  for (const url of told) {
    const { pathname } = new URL(url, service.url);
    const response = await service.download(pathname);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) wrong.push(`${pathname} is not there: ${response.status}`);
    else if (!isWhole(bytes))
      wrong.push(`${pathname} does not play: ${bytes.length} bytes, ${bytes.toString('hex', 0, 44)}`);
  }
  return { recordings: told.size, wrong };
}

const isWhole = (bytes: Buffer): boolean =>
  bytes.length > 44 &&
  bytes.toString('ascii', 0, 4) === 'RIFF' &&
  bytes.readUInt32LE(4) === bytes.length - 8 &&
  bytes.readUInt32LE(40) === bytes.length - 44;
