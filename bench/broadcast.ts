/**
 * Cost of a broadcast for the service. `node bench/broadcast.ts [calls] [calls per second]`.
 *
 * - Response time of a request with 100,000 numbers, compared with the three seconds that a client may wait, and the
 * longest stall of the event loop during it;
 * - memory of a running broadcast of 100,000 numbers compared with one of 1,000, and with the text of the numbers; peak
 * memory while the request is read, compared with a bare server that reads the same request;
 * - CPU time for 1000 calls, compared with the same calls requested one by one. sipp answers and hangs up.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { CROWD_PORT, startCrowd } from '../test/e2e/crowd.ts';
import { called, expects, hangsUp, notes, responds, sdp, waits } from '../test/e2e/scenario.ts';
import { type Service, startService } from '../test/e2e/service.ts';
import { writeTone } from '../test/e2e/sound.ts';
import { report } from './figure.ts';
import type { Probe } from './probe.ts';
import { cpuSeconds, peakKb } from './process-figures.ts';

const calls = Number(process.argv[2] ?? 600);
const rate = Number(process.argv[3] ?? 30);
const MANY = 100_000;
const FEW = 1000;
const CREATE_SECONDS = 3;
const ADDRESS = '127.0.0.31';
const PHONES = '127.0.0.34';
const PEER_PORT = 8181;
const BROADCAST = '/voice/v1/broadcast';
/** Warm-up: a service runs for months, so compiling its code in the first seconds is not part of a call's cost. */
const WARMING_CALLS = 200;

if (spawnSync('sh', ['-c', 'command -v sipp']).status !== 0) {
  process.stderr.write('needs sipp: apt-get install sip-tester\n');
  process.exit(2);
}

let given = 0;
const numbers = (count: number): string[] =>
  Array.from({ length: count }, () => `+336${String(++given).padStart(8, '0')}`);

interface Probed {
  service: Service;
  probe(): Promise<Probe>;
}

async function startProbed(): Promise<Probed> {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-bench-'));
  const lines = join(directory, 'probe');
  writeTone(join(directory, 'message.wav'), 440, 2);
  const service = await startService({
    directory,
    address: ADDRESS,
    sip: { rtp_ports: [20000, 29999], routes: [{ uri: `sip:${PHONES}:${CROWD_PORT}` }] },
    numbers: [{ number: '1000' }],
    flows: {},
    more: {
      limits: { calls: 1000, requests_per_second: 10_000, request_burst: 10_000 },
      broadcasts: { calls_per_second: 1000, project: { calls_per_second: 1000, max_concurrent: 500 } },
      prompts: { message: { file: join(directory, 'message.wav') } },
    },
    environment: { BENCH_PROBE: lines, NODE_OPTIONS: `--import ${join(import.meta.dirname, 'probe.ts')}` },
  });
  const read = (): string[] => (existsSync(lines) ? readFileSync(lines, 'utf8').split('\n').slice(0, -1) : []);
  return {
    service,
    async probe() {
      const before = read().length;
      process.kill(service.pid, 'SIGUSR2');
      while (read().length === before) await elapse(5);
      return JSON.parse(read().at(-1)!) as Probe;
    },
  };
}

const orderOf = (list: readonly string[], callsPerSecond: number) => ({
  application_name: 'bench',
  from: '1000',
  broadcast_numbers_array: list,
  action_on_connect: { play: { prompt_name: 'message' } },
  call_param: { calls_per_second: callsPerSecond, number_of_retries: 0 },
});

async function create(service: Service, order: object): Promise<{ broadcastId: string; seconds: number }> {
  const startedMs = performance.now();
  const { status, body } = await service.api('POST', BROADCAST, order);
  const seconds = (performance.now() - startedMs) / 1000;
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { broadcastId: String(body['app_instance']), seconds };
}

interface Running {
  createSeconds: number;
  longestStallMs: number;
  usedBytes: number;
  /** Peak memory of the process above its level before the request. */
  peakBytes: number;
}

/** A running broadcast with a very low rate, to measure its memory only. */
async function running(count: number): Promise<Running> {
  const { service, probe } = await startProbed();
  try {
    // Warm-up: the code of the route is compiled once.
    const first = await create(service, orderOf(numbers(FEW), 0.01));
    await service.api('DELETE', `${BROADCAST}/${first.broadcastId}`);
    await probe();
    const beforeKb = peakKb(service.pid);
    const { seconds } = await create(service, orderOf(numbers(count), 0.01));
    const { longestStallMs } = await probe();
    await elapse(1000);
    const { usedBytes } = await probe();
    const peakBytes = (peakKb(service.pid) - beforeKb) * 1024;
    return { createSeconds: seconds, longestStallMs, usedBytes, peakBytes };
  } finally {
    await service.kill();
  }
}

/** Time for the same request at a server that only reads it. */
async function readOnly(): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'peers/body-reader.ts'), String(PEER_PORT)]);
  await once(child.stdout, 'data');
  const post = (count: number) =>
    fetch(`http://127.0.0.1:${PEER_PORT}`, { method: 'POST', body: JSON.stringify(orderOf(numbers(count), 1)) });
  await post(FEW);
  const beforeKb = peakKb(child.pid!);
  await post(MANY);
  const bytes = (peakKb(child.pid!) - beforeKb) * 1024;
  child.kill();
  return bytes;
}

const body = sdp();
const PHONE = [
  ...[called(), responds(180), responds(200, { body }), expects('ACK')],
  ...[waits(500), hangsUp(1), notes('over')],
];

async function costOfCalls(): Promise<{ broadcast: number; oneByOne: number }> {
  const crowd = await startCrowd(PHONES, PHONE);
  const { service } = await startProbed();
  const over = async (all: number): Promise<void> => {
    while (crowd.seen().size < all) await elapse(100);
  };
  const broadcast = async (count: number): Promise<void> => {
    const all = crowd.seen().size + count;
    await create(service, orderOf(numbers(count), rate));
    await over(all);
  };
  const oneByOne = async (count: number): Promise<void> => {
    const all = crowd.seen().size + count;
    const startedMs = performance.now();
    for (const [at, to] of numbers(count).entries()) {
      const { action_on_connect } = orderOf([], rate);
      const { status } = await service.api('POST', '/voice/v1/call', { from: '1000', to, action_on_connect });
      if (status !== 200) throw new Error(`a call was refused: ${status}`);
      const dueMs = startedMs + ((at + 1) / rate) * 1000;
      await elapse(Math.max(0, dueMs - performance.now()));
    }
    await over(all);
  };
  const cost = async (make: (count: number) => Promise<void>): Promise<number> => {
    await make(WARMING_CALLS);
    const before = cpuSeconds(service.pid);
    await make(calls);
    return ((cpuSeconds(service.pid) - before) / calls) * 1000;
  };
  try {
    return { oneByOne: await cost(oneByOne), broadcast: await cost(broadcast) };
  } finally {
    await crowd.stop();
    await service.stop();
  }
}

const MB = 2 ** 20;
const few = await running(FEW);
const many = await running(MANY);
report('broadcast.create_seconds', many.createSeconds, `s for ${MANY} numbers`, CREATE_SECONDS);
report('broadcast.longest_stall_ms', many.longestStallMs, 'ms');
const textBytes = numbers(MANY).join('').length;
report('broadcast.growth_mb', (many.usedBytes - few.usedBytes) / MB, 'MB in use', textBytes / MB);
report('broadcast.create_peak_mb', many.peakBytes / MB, 'MB, at its highest', (await readOnly()) / MB);
const cost = await costOfCalls();
report('broadcast.cpu_seconds_per_1000_calls', cost.broadcast, 'CPU-s per 1000 calls', cost.oneByOne);
