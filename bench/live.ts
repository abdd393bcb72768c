/**
 * What live events cost calls: CPU of the service for the calls of a short IVR, with ten readers of
 * `GET /voice/v1/events` beside the same without any, in the same run. `node bench/live.ts [calls] [calls per second] [readers]`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_ID, APP_KEY, type Service, startService } from '../test/e2e/service.ts';
import { sipp } from '../test/e2e/sipp.ts';
import { median, report } from './figure.ts';
import { cpuSeconds } from './process-figures.ts';

const calls = Number(process.argv[2] ?? 300);
const rate = Number(process.argv[3] ?? 30);
const readers = Number(process.argv[4] ?? 10);
/** With and without take turns, because the machine is not alike from minute to minute. */
const ROUNDS = 3;
const scenario = join(import.meta.dirname, 'scenarios/ivr.xml');
const FLOW = `
flow: bench
start: ask
defaults: { exits: { error: bye } }
steps:
  ask:
    menu: { prompt: Press one please, choices: { one: { dtmf: "1" } }, attempts: 1, start_timeout: 5s }
    exits: { one: one, exhausted: one }
  one: { play: "Thank you very much", next: bye }
  bye: { hangup: normal }
`;

interface Reader {
  events: number;
  response: IncomingMessage;
}

const openReader = (service: Service): Promise<Reader> =>
  new Promise((resolve, reject) => {
    const authorization = `Basic ${Buffer.from(`${APP_ID}:${APP_KEY}`).toString('base64')}`;
    get(`${service.url}/voice/v1/events`, { headers: { authorization }, agent: false }, (response) => {
      const reader = { events: 0, response };
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        reader.events += text.split('\nevent: ').length - 1;
      });
      response.on('error', () => undefined);
      resolve(reader);
    }).on('error', reject);
  });

async function measure(service: Service): Promise<number> {
  const before = cpuSeconds(service.pid);
  const options = { scenario, target: service.sip, address: '127.0.0.22', number: '1000', rate, withinSeconds: 300 };
  const { successful, failed } = await sipp({ ...options, calls });
  if (failed > 0 || successful !== calls) throw new Error(`${failed} of ${calls} calls failed`);
  return ((cpuSeconds(service.pid) - before) / calls) * 1000;
}

if (spawnSync('sh', ['-c', 'command -v sipp']).status !== 0) {
  process.stderr.write('needs sipp: apt-get install sip-tester\n');
  process.exit(2);
}
const service = await startService({
  directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
  address: '127.0.0.33',
  numbers: [{ number: '1000', flow: 'bench' }],
  flows: { 'bench.flow.yaml': FLOW },
});
try {
  await measure(service);
  const [watched, alone]: [number[], number[]] = [[], []];
  let events = 0;
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await measure(service));
    const open = await Promise.all(Array.from({ length: readers }, () => openReader(service)));
    watched.push(await measure(service));
    for (const { response } of open) response.destroy();
    events += Math.min(...open.map((reader) => reader.events));
  }
  if (events < ROUNDS * calls * 5) throw new Error(`the readers were told ${events} events only`);
  report(`live events to ${readers} readers`, median(watched), 'CPU-s per 1000 calls', median(alone));
} finally {
  await service.stop();
}
