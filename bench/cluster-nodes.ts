/**
 * Cost of a cluster: node processes with a Redis and a replica. Measures requests for calls on another node compared
 * with local calls, and the CPU time of 1000 short IVR calls shared by 1, 2 and 3 nodes, compared with a service
 * without cluster. Redis is not counted. `node bench/cluster-nodes.ts [calls] [calls per second]`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, startService } from '../test/e2e/service.ts';
import { startRedis, until } from '../test/redis-server.ts';
import { median, report } from './figure.ts';
import { IVR_NUMBER, ivrFlows, placeIvrCalls, requireSipp } from './ivr-calls.ts';
import { cpuSeconds } from './process-figures.ts';

const calls = Number(process.argv[2] ?? 240);
const rate = Number(process.argv[3] ?? 12);

const NAMES = ['one', 'two', 'three'];
const PHONES = '127.0.0.29';
const WAITING = `
flow: waiting
start: wait
steps:
  wait: { pause: 10m, next: bye }
  bye: { hangup: normal }
`;
const REQUESTS = 100;
const ROUNDS = 10;

const cluster = (address: string, node: string) => ({
  redis: { url: primary.url },
  key: 'a-key-that-only-the-nodes-of-this-benchmark-know',
  ...{ node, address: `http://${address}:8080` },
});

function start(address: string, node?: string): Promise<Service> {
  const flows = ivrFlows();
  writeFileSync(join(flows, 'waiting.flow.yaml'), WAITING);
  return startService({
    ...{ directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')), address },
    sip: { routes: [{ uri: `sip:${PHONES}:5060` }] },
    more: {
      limits: { requests_per_second: 10_000, request_burst: 10_000 },
      ...(node === undefined ? {} : { cluster: cluster(address, node) }),
    },
    numbers: [IVR_NUMBER],
    flows,
  });
}

requireSipp();
const primary = await startRedis();
const replica = await startRedis({ replicaOf: primary });
const services: Service[] = [];
try {
  const alone = await start('127.0.0.34');
  services.push(alone);
  for (const [index, name] of NAMES.entries()) services.push(await start(`127.0.0.${31 + index}`, name));
  const nodes = services.slice(1);
  await measureRequests(nodes);
  // Warm-up: compilation is not part of a call's cost.
  await place(services, 200);
  const before = await costOf([alone]);
  for (let count = 1; count <= nodes.length; count++) {
    report(`cluster.calls.${count}_nodes`, await costOf(nodes.slice(0, count)), 'CPU-s per 1000 calls', before);
  }
} finally {
  await Promise.all(services.map((service) => service.stop()));
  await Promise.all([primary.stop(), replica.stop()]);
}

/** Distributes the calls evenly over the nodes, concurrently. */
async function place(on: readonly Service[], count: number): Promise<void> {
  await Promise.all(
    on.map(({ sip }, index) =>
      placeIvrCalls({
        ...{ target: sip, address: `127.0.0.${21 + index}` },
        ...{ calls: count / on.length, rate: rate / on.length },
      }),
    ),
  );
}

/** Total CPU seconds of the services for 1000 calls. */
async function costOf(on: readonly Service[]): Promise<number> {
  const seconds = (): number => on.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const before = seconds();
  await place(on, calls);
  return ((seconds() - before) / calls) * 1000;
}

async function measureRequests([owner, other]: readonly Service[]): Promise<void> {
  const phones = spawn('sipp', ['-sn', 'uas', '-i', PHONES, '-p', '5060', '-nostdin'], { stdio: 'ignore' });
  try {
    const order = { from: '1000', to: '33199001122', flow: 'waiting' };
    const { body } = await owner!.api('POST', '/voice/v1/call', order);
    const path = `/voice/v1/call/${String(body['voice_id'])}`;
    await until(async () => (await other!.api('GET', path)).status === 200);
    const tookMs = async (service: Service): Promise<number> => {
      const began = performance.now();
      await service.api('GET', path);
      return performance.now() - began;
    };
    const own: number[] = [];
    const forwarded: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      for (let request = 0; request < REQUESTS; request++) {
        const [near, far] = [await tookMs(owner!), await tookMs(other!)];
        if (round > 0) own.push(near);
        if (round > 0) forwarded.push(far);
      }
    }
    report('cluster.forwarded', median(forwarded), 'ms, the answer of a node that another one gave, p50', median(own));
  } finally {
    phones.kill();
  }
}
