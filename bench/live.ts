/**
 * Effect of observers on calls: the calls of `bench ivr` without observers, with ten readers of `GET /voice/v1/events`,
 * and with ten open studios, one of which checks a changed flow of 130 steps each second. The cases alternate in the
 * same run, because the load of the machine changes. `node bench/live.ts [calls] [calls per second] [readers]`.
 *
 * Calls depend on the main thread and the media thread, so the CPU of these and the time to answer are measured. CPU of
 * the whole process also includes the workbench thread.
 */
import { mkdtempSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_ID, APP_KEY, type Service, startService } from '../test/e2e/service.ts';
import { companyFlow } from '../test/studio/graph/company-flow.ts';
import { median, report } from './figure.ts';
import { IVR_NUMBER, ivrFlows, placeIvrCalls, requireSipp } from './ivr-calls.ts';
import { cpuByThread, cpuSeconds } from './process-figures.ts';

const calls = Number(process.argv[2] ?? 150);
const rate = Number(process.argv[3] ?? 30);
const readers = Number(process.argv[4] ?? 10);
/** Short rounds, because of other load on the machine; an even number, so that the order of the cases alternates. */
const ROUNDS = 8;
const CHECK_EVERY_MS = 1000;
const LIST = '/voice/v1/call?limit=200';
const LISTED_EVERY_MS = 30_000;
/** Threads on which calls depend. */
const THREADS_OF_CALLS = ['MainThread', 'media'];
const TOKEN = 'token-of-the-benchmark-only';
const FLOW = companyFlow(130);

interface Reader {
  events: number;
  response: IncomingMessage;
}

interface Measured {
  /** CPU seconds per 1000 calls. */
  ofCalls: number;
  ofProcess: number;
  /** 95th percentile of the time to answer, in ms. */
  answered: number;
}

type Watch = (work: () => Promise<Measured>) => Promise<Measured>;

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

/** Each reader also loads the list of calls, as a studio does at the start of its stream. */
async function withReaders(service: Service, work: () => Promise<Measured>): Promise<Measured> {
  const open = await Promise.all(Array.from({ length: readers }, () => openReader(service)));
  for (const _ of open) await service.api('GET', `${LIST}&state=live`);
  const measured = await work();
  for (const { response } of open) response.destroy();
  const events = Math.min(...open.map((reader) => reader.events));
  if (events < calls * 5) throw new Error(`a reader was told ${events} events only`);
  return measured;
}

/** Simulates typing: the text differs in every check. */
async function checkOnce(service: Service, number: number): Promise<void> {
  const text = `${FLOW}# edit ${number}\n`;
  const body = { name: 'company-130', text, session: 'bench' };
  const { status } = await service.api('POST', '/admin/v1/flows/check', body, { authorization: `Bearer ${TOKEN}` });
  if (status !== 200) throw new Error(`the check was answered ${status}`);
}

/** Also reloads the lists of calls at intervals, as studios do. */
async function withChecks(service: Service, work: () => Promise<Measured>): Promise<Measured> {
  const lists = setInterval(() => void service.api('GET', LIST), LISTED_EVERY_MS / readers);
  let checks = 0;
  let done = Promise.resolve();
  const timer = setInterval(() => {
    checks += 1;
    done = done.then(() => checkOnce(service, checks));
  }, CHECK_EVERY_MS);
  const measured = await work().finally(() => {
    for (const each of [timer, lists]) clearInterval(each);
  });
  await done;
  if (checks < calls / rate / 2) throw new Error(`only ${checks} checks were made`);
  return measured;
}

function cpuSoFar({ pid }: Service): { ofCalls: number; ofProcess: number } {
  const threads = cpuByThread(pid);
  const ofCalls = THREADS_OF_CALLS.reduce((sum, name) => sum + (threads.get(name) ?? 0), 0);
  return { ofCalls, ofProcess: cpuSeconds(pid) };
}

async function measure(service: Service): Promise<Measured> {
  const before = cpuSoFar(service);
  const answered = await placeIvrCalls({ target: service.sip, address: '127.0.0.22', calls, rate });
  const after = cpuSoFar(service);
  const sorted = answered.sort((a, b) => a - b);
  return {
    ofCalls: ((after.ofCalls - before.ofCalls) / calls) * 1000,
    ofProcess: ((after.ofProcess - before.ofProcess) / calls) * 1000,
    answered: sorted[Math.floor(sorted.length * 0.95)]!,
  };
}

/** Mean of the lowest quarter. */
function lowQuarter(values: readonly number[]): number {
  const lowest = values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length / 4));
  return lowest.reduce((sum, value) => sum + value, 0) / lowest.length;
}

requireSipp();
const service = await startService({
  directory: mkdtempSync(join(tmpdir(), 'callweave-bench-')),
  address: '127.0.0.33',
  numbers: [IVR_NUMBER],
  flows: ivrFlows(),
  more: { admin: { token: TOKEN } },
});
const watches: Record<string, Watch> = {
  alone: (work) => work(),
  [`${readers} readers of events`]: (work) => withReaders(service, work),
  [`${readers} studios, a check a second`]: (work) => withReaders(service, () => withChecks(service, work)),
};
try {
  // Warm-up: one-time compilation and loading are excluded.
  for (const watch of Object.values(watches)) await watch(() => measure(service));
  const found = new Map(Object.keys(watches).map((name) => [name, [] as Measured[]]));
  for (let round = 0; round < ROUNDS; round++) {
    const names = Object.keys(watches);
    for (const name of round % 2 === 0 ? names : names.reverse())
      found.get(name)!.push(await watches[name]!(() => measure(service)));
  }
  const of = (name: string, key: keyof Measured): number[] => found.get(name)!.map((each) => each[key]);
  // Uses low values of the CPU time, because other load only adds to it.
  const figureOf = (name: string, key: keyof Measured): number =>
    key === 'answered' ? median(of(name, key)) : lowQuarter(of(name, key));
  for (const name of Object.keys(watches).slice(1)) {
    const row = (title: string, key: keyof Measured, unit: string): void =>
      report(`${name}: ${title}`, figureOf(name, key), unit, figureOf('alone', key));
    row('threads of calls', 'ofCalls', 'CPU-s per 1000 calls');
    row('whole process', 'ofProcess', 'CPU-s per 1000 calls');
    row('answered, 95th percentile', 'answered', 'ms');
  }
} finally {
  await service.stop();
}
