/**
 * Random faults in a cluster of real processes under load: nodes are killed, paused and disconnected from Redis, and
 * Redis fails over, one fault at a time, during calls from sipp and a softphone and calls dialled by REST. The
 * guarantees are checked after all activity has ended: `fault-account.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { seededRandom } from '../../src/base/core/ids.ts';
import { startSoftphone } from '../e2e/baresip.ts';
import { startSipp } from '../e2e/sipp.ts';
import { writeTone } from '../e2e/sound.ts';
import { program } from '../programs.ts';
import { until } from '../redis-server.ts';
import { startCountingPhone } from './counting-phone.ts';
import { askDoctor, type DoctorSeen } from './doctor-watch.ts';
import { callsOf, KEYS, type Placed, problemsOf, type Told } from './fault-account.ts';
import { type Fault, type FaultKind, type FaultNodes, NAMES, type NodeName, startFaultNodes } from './fault-nodes.ts';
import { type Dialled, type HealthCase, healthProblems, NOTICED_WITHIN_MS } from './health-account.ts';
import { watchHealth } from './health-watch.ts';
import { lostLeases } from './lost-leases.ts';

export interface FaultsOptions {
  rounds: number;
  seed: number;
  print?(line: string): void;
  /** Ends the run after the current round. */
  enough?: AbortSignal;
  /** Directory for observations and logs, if there are problems. */
  evidence?: string;
  /** Compares the reported health, alerts and `callweave doctor` with the faults, too. */
  watchesHealth?: boolean;
}

export interface FaultsReport {
  rounds: Partial<Record<FaultKind, number>>;
  calls: number;
  events: number;
  /** Leases that nodes lost without a fault, because the machine was too busy. */
  leasesLost: number;
  /** Events that arrived more than once. */
  repeated: number;
  /** Durations from the death of a node until the end of each of its calls was known. */
  toldMs: number[];
  /** Faults for the comparison with the reported health; absent if health was not watched. */
  health?: HealthCounts;
  problems: string[];
}

interface HealthCounts {
  samples: number;
  dialled: number;
  /** Evaluations at which an alert fired. */
  alerts: number;
  doctors: number;
}

const NETWORK = '127.0.45';
const PHONES = `${NETWORK}.9`;
const CALLERS = `${NETWORK}.8`;
const SOFTPHONE = '127.0.0.1';
const PROMETHEUS = `${NETWORK}.7`;
/** Rounds between runs of `callweave doctor`; the fault of such a round lasts longer. */
const DOCTOR_EVERY = 3;
const DOCTOR_LASTS_MS = 8000;
const RECEIVERS = 4;
const ANSWER_AFTER_MS = 20;
const DIAL_EVERY_MS = 200;
const COMMAND_EVERY_MS = 700;
/** Duration after which connected calls end. */
const TALK_MS = 1000;
const TELL_WITHIN_MS = 5000;
const REST_MS = 40_000;
const SHARES: Readonly<Record<FaultKind, number>> = { kill: 7, pause: 5, cut_hang: 2, cut_reset: 3, failover: 3 };
const KINDS = Object.keys(SHARES) as FaultKind[];
/** Fault kinds, each repeated according to its share. */
const DRAWN = KINDS.flatMap((kind) => Array<FaultKind>(SHARES[kind]).fill(kind));
const NUMBER_OF: Readonly<Record<NodeName, string>> = { one: '1001', two: '1002', three: '1003' };
const OF_ANY = '1004';
const FROM = '1000';

const steps = [...KEYS].map(
  (key, index) => `  prompt${key}: { play: { tone: 440, duration: 200ms }, next: key${key} }
  key${key}: { send_digits: "${key}", next: rest${key} }
  rest${key}: { pause: 300ms, next: ${index + 1 < KEYS.length ? `prompt${KEYS[index + 1]}` : 'bye'} }
`,
);
/** Counts of `counting-phone.ts`. */
export const COUNTING_FLOW = `flow: counts
start: prompt${KEYS[0]}
defaults: { exits: { error: bye } }
steps:
${steps.join('')}  bye: { hangup: normal }
`;

export async function befallAgainAndAgain({
  rounds,
  seed,
  print,
  enough,
  evidence,
  watchesHealth = false,
}: FaultsOptions): Promise<FaultsReport> {
  const random = seededRandom(seed);
  const any = <Of>(all: readonly Of[]): Of => all[Math.floor(random() * all.length)]!;
  const told: Told[] = [];
  const receivers = await Promise.all(Array.from({ length: RECEIVERS }, (_, index) => receive(index, told, PHONES)));
  const numbers = [...Object.values(NUMBER_OF), OF_ANY].map((number, index) => ({
    ...{ number, flow: 'counts', project: 'demo', webhook: receivers[index % RECEIVERS]!.url },
  }));
  const phone = await startCountingPhone(PHONES);
  const nodes = await startFaultNodes({
    ...{ network: NETWORK, flows: { 'counts.flow.yaml': COUNTING_FLOW } },
    numbers: [{ number: FROM, flow: 'counts', project: 'demo' }, ...numbers],
  });
  const problems: string[] = [];
  const placed: Placed[] = [];
  const faults: Fault[] = [];
  const dialled: Dialled[] = [];
  const doctors: DoctorSeen[] = [];
  const watched = NAMES.map((name) => ({ name, url: nodes.service(name).url }));
  const watch = watchesHealth ? await watchHealth(watched, PROMETHEUS) : undefined;
  let isOver = false;
  const traffic = [
    dial({ nodes, placed, problems, dialled, any, urls: receivers.map(({ url }) => url), isOver: () => isOver }),
    command({ nodes, placed, problems, any, isOver: () => isOver }),
  ];
  const softphone = callBySoftphone(nodes, any, () => isOver);
  const callers = await Promise.all(NAMES.map(callIn));
  try {
    await elapse(1000);
    for (let round = 1; round <= rounds && !enough?.aborted; round++) {
      await elapse(200 + random() * 1300);
      const [kind, node] = [any(DRAWN), any(NAMES)];
      const asksDoctor = watchesHealth && round % DOCTOR_EVERY === 0;
      const asked = asksDoctor ? askDoctors(nodes, kind, node) : [];
      const fault = await nodes.befall(kind, node, asksDoctor ? DOCTOR_LASTS_MS : undefined);
      doctors.push(...(await asked));
      faults.push(fault);
      print?.(`${round} of ${rounds}: ${fault.kind} ${fault.node ?? ''}, ${fault.untilMs - fault.fromMs} ms`);
    }
    await elapse(1000);
    isOver = true;
    for (const caller of callers) caller.finish();
    await Promise.all(traffic);
    const nodeOfNumber = new Map(NAMES.map((name) => [NUMBER_OF[name], name]));
    const isAtRest = async () => {
      const live = [...callsOf({ told, placed, nodeOfNumber }).values()].filter(({ endedMs }) => endedMs === undefined);
      for (const { callId, placed: order } of live)
        if (order?.connected !== undefined) await hangUp(nodes, 'one', callId);
      return live.length === 0;
    };
    await until(isAtRest, REST_MS).catch(() => problems.push('not all calls came to their end'));
    await elapse(1500);
    if (watchesHealth) doctors.push(...(await Promise.all(NAMES.map((name) => askDoctor(name, nodes.service(name))))));
    const healthSeen = await watch?.end();
    const calls = callsOf({ told, placed, nodeOfNumber });
    const journals = new Map<string, Awaited<ReturnType<typeof journalOf>>>();
    for (const callId of calls.keys()) journals.set(callId, await journalOf(nodes, callId));
    const leases = lostLeases(nodes.logs(), faults);
    faults.push(...leases);
    const seen = { faults, told, placed, nodeOfNumber, rung: phone.rung, journals, tellWithinMs: TELL_WITHIN_MS };
    problems.push(...problemsOf({ ...seen, heardKeys: await softphone }));
    const health = healthSeen && { seen: healthSeen, troubles: faults, dialled, doctors };
    if (health) problems.push(...healthProblems(health));
    if (evidence !== undefined && problems.length > 0) {
      mkdirSync(evidence, { recursive: true });
      const found = { problems, ...seen, journals: Object.fromEntries(journals), health };
      writeFileSync(join(evidence, 'seen.json'), JSON.stringify(found, undefined, 1));
      for (const [life, text] of nodes.logs()) writeFileSync(join(evidence, `${life}.log`), text);
    }
    return {
      rounds: Object.fromEntries(KINDS.map((kind) => [kind, faults.filter((each) => each.kind === kind).length])),
      calls: calls.size,
      events: told.length,
      leasesLost: leases.length,
      repeated: told.length - new Set(told.map(({ id }) => id)).size,
      toldMs: faults.flatMap(({ kind, node, fromMs }) =>
        [...calls.values()].flatMap((call) => {
          const { beganMs, endedMs = 0 } = call;
          return kind === 'kill' && call.node === node && beganMs < fromMs && endedMs > fromMs
            ? [endedMs - fromMs]
            : [];
        }),
      ),
      ...(health && { health: countsOf(health) }),
      problems,
    };
  } finally {
    isOver = true;
    for (const caller of callers) caller.stop();
    await nodes.stop();
    phone.stop();
    for (const receiver of receivers) receiver.stop();
  }
}

/** Runs `callweave doctor` during a fault at a healthy node, and at the node that is disconnected from the store. */
async function askDoctors(nodes: FaultNodes, kind: FaultKind, node: NodeName): Promise<DoctorSeen[]> {
  await elapse(NOTICED_WITHIN_MS + 250);
  const well = NAMES.find((name) => name !== node)!;
  const patients = kind === 'cut_hang' || kind === 'cut_reset' ? [well, node] : [well];
  return Promise.all(patients.map((name) => askDoctor(name, nodes.service(name))));
}

const countsOf = ({ seen: { samples, alerts = [] }, dialled, doctors }: HealthCase): HealthCounts => ({
  ...{ samples: samples.length, dialled: dialled.length, alerts: alerts.length, doctors: doctors.length },
});

export async function receive(receiver: number, told: Told[], host: string): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Told['body'];
      const event: Told = { id: String(request.headers['webhook-id']), receiver, body, atMs: Date.now() };
      told.push(event);
      setTimeout(() => {
        event.answeredMs = Date.now();
        response.writeHead(204).end();
      }, ANSWER_AFTER_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}/events`, stop: () => void server.close().closeAllConnections() };
}

interface Traffic {
  nodes: FaultNodes;
  placed: Placed[];
  problems: string[];
  any<Of>(all: readonly Of[]): Of;
  isOver(): boolean;
}

/** Valid answers of a healthy node: success, or temporarily unavailable. */
const isAllowed = (status: number): boolean => status === 200 || status === 503;

async function dial({
  nodes,
  placed,
  problems,
  dialled,
  any,
  urls,
  isOver,
}: Traffic & { urls: string[]; dialled: Dialled[] }): Promise<void> {
  const asked: Promise<void>[] = [];
  for (let number = 700_000; !isOver(); number++) {
    asked.push(
      (async () => {
        const node = any(NAMES);
        const wasUp = nodes.isUp(node);
        const atMs = Date.now();
        const order = { from: FROM, to: `33199${number}`, flow: 'counts', event_url: any(urls) };
        const answer = await nodes.service(node).api('POST', '/voice/v1/call', order).catch(failed);
        dialled.push({ node, fromMs: atMs, untilMs: Date.now(), status: answer.status });
        if (answer.status === 200)
          placed.push({ callId: String(answer.body['voice_id']), number: order.to, node, atMs });
        else if (wasUp && nodes.isUp(node) && !isAllowed(answer.status)) {
          problems.push(`a dial at ${node}, which was well: ${answer.status} ${JSON.stringify(answer.body)}`);
        }
      })(),
    );
    await elapse(DIAL_EVERY_MS);
  }
  await Promise.all(asked);
}

/** Sends commands for placed calls to random nodes: connect with a unique number, and later hang up. */
async function command({ nodes, placed, problems, any, isOver }: Traffic): Promise<void> {
  const asked: Promise<void>[] = [];
  for (let number = 800_000; !isOver(); number++) {
    const call = placed.findLast(({ connected, atMs }) => connected === undefined && Date.now() - atMs > 1000);
    if (call) {
      call.connected = `33199${number}`;
      asked.push(
        (async () => {
          const node = any(NAMES);
          const wasUp = nodes.isUp(node) && nodes.isUp(call.node);
          const order = { from: FROM, to: call.connected };
          const path = `/voice/v1/call/${call.callId}/connect`;
          const { status, body } = await nodes.service(node).api('PUT', path, order).catch(failed);
          const isUp = wasUp && nodes.isUp(node) && nodes.isUp(call.node);
          // 404 and 409: the call may have ended, or is not answered yet.
          if (isUp && status !== 404 && status !== 409 && !isAllowed(status)) {
            problems.push(`a command at ${node} for ${call.node}: ${status} ${JSON.stringify(body)}`);
          }
          await elapse(TALK_MS);
          await hangUp(nodes, any(NAMES), call.callId);
        })(),
      );
    }
    await elapse(COMMAND_EVERY_MS);
  }
  await Promise.all(asked);
}

const hangUp = (nodes: FaultNodes, node: NodeName, callId: string) =>
  nodes.service(node).api('DELETE', `/voice/v1/call/${callId}`).catch(failed);

const failed = (error: unknown): { status: number; body: Record<string, unknown> } => ({
  status: 0,
  body: { error: String((error as Error).cause ?? error) },
});

/** Starts sipp with one call a second; the callers hang up. */
const callIn = (name: NodeName, index: number) =>
  startSipp({
    scenario: join(import.meta.dirname, '../../bench/scenarios/hold.xml'),
    target: `${NETWORK}.${index + 1}:5060`,
    ...{ address: CALLERS, number: NUMBER_OF[name], calls: 100_000, rate: 1, withinSeconds: 100_000 },
    ...{ port: 5066 + index, mediaPort: 16_000 + 1000 * index },
  });

/** Calls from a softphone until the end of the run. Returns the digits received in each call. */
async function callBySoftphone(nodes: FaultNodes, any: Traffic['any'], isOver: () => boolean): Promise<string[]> {
  if (program('baresip').missing) return [];
  const directory = mkdtempSync(join(tmpdir(), 'callweave-softphone-'));
  const says = join(directory, 'says.wav');
  writeTone(says, 620, 10);
  const softphone = await startSoftphone({ directory, address: SOFTPHONE, says, port: 15_960, controlPort: 15_980 });
  const keys: string[] = [];
  for (let calls = 1; !isOver(); calls++) {
    const before = softphone.keys().length;
    const node = any(NAMES);
    await softphone.command('dial', `sip:${OF_ANY}@${nodes.service(node).sip}`);
    await softphone.event('CALL_CLOSED', 8000, calls).catch(() => softphone.command('hangup'));
    keys.push(softphone.keys().slice(before));
  }
  await softphone.stop();
  rmSync(directory, { recursive: true, force: true });
  return keys;
}

/** Reads the journal of a call; undefined if it is not found. */
export async function journalOf(nodes: FaultNodes, callId: string) {
  type Entries = { seq: number; kind: string }[];
  const entries: Entries = [];
  for (let after = 0; ; ) {
    const path = `/voice/v1/call/${callId}/journal?after=${after}&limit=500`;
    const { status, body } = await nodes.service('one').api('GET', path).catch(failed);
    if (status !== 200) return undefined;
    entries.push(...(body['entries'] as Entries));
    if (body['next'] === undefined) return entries;
    after = Number(body['next']);
  }
}
