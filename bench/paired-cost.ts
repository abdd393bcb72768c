/**
 * CPU cost of a call at given rates, measured in pairs: the service and its peer are measured alternately, so that other
 * load on the machine affects both. Both are warmed until the cost of a call no longer falls. The peer is Asterisk, or
 * with `--against DIR` the service of another checkout, which shows the effect of a change.
 */
import { parseArgs } from 'node:util';
import type { Service, startService } from '../test/e2e/service.ts';
import { startAsterisk } from './asterisk.ts';
import { reportRounds } from './figure.ts';
import { cpuByThread, cpuSeconds } from './process-figures.ts';

/** Calls to place, and the rate at which they start, per second. */
export interface Calls {
  target: string;
  calls: number;
  rate: number;
}

export interface PairedCost {
  /** Name of the figures, which are `NAME.RATE`, and with `.main` and `.media` the parts of two threads. */
  name: string;
  unit: string;
  /** Call rates by default, per second. */
  rates: readonly number[];
  /** Calls per batch of the warm-up, which are placed at the highest rate. */
  warmingCalls: number;
  /** Starts the service of a checkout at an address. */
  service(address: string, checkout: string | undefined): ReturnType<typeof startService>;
  /** Places calls; resolves when all have ended. */
  place(calls: Calls): Promise<unknown>;
}

/** CPU seconds per 1000 calls: the process, and two of its threads where they exist. */
interface Cost {
  all: number;
  main: number;
  media: number;
}

interface Subject {
  pid: number;
  sip: string;
  stop(): unknown;
}

const ADDRESS = '127.0.0.31';
const PEER_ADDRESS = '127.0.0.33';
/** A batch that costs more than this share of the cheapest before it no longer shows an effect of warming. */
const STILL_FALLS = 0.97;
const MAX_WARMING_BATCHES = 6;

/** Measures and reports. Command line: `[--pairs N] [--rates N,N] [--seconds N] [--against DIR]`. */
export async function measurePairs(cost: PairedCost): Promise<void> {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string', default: '3' },
      rates: { type: 'string', default: cost.rates.join(',') },
      seconds: { type: 'string', default: '10' },
      against: { type: 'string' },
    },
  });
  const rates = values.rates.split(',').map(Number);
  const service = await cost.service(ADDRESS, undefined);
  const peer = await startPeer(cost, values.against);
  try {
    const warmingRate = Math.max(...rates);
    for (const subject of peer ? [service, peer] : [service]) await warm(cost, subject, warmingRate);
    for (const rate of rates) {
      const calls = rate * Number(values.seconds);
      await measureRate(cost, Number(values.pairs), { calls, rate }, service, peer);
    }
  } finally {
    await service.stop();
    await peer?.stop();
  }
}

const startPeer = async (cost: PairedCost, against: string | undefined): Promise<Subject | undefined> =>
  against === undefined ? startAsterisk() : cost.service(PEER_ADDRESS, against);

async function warm(cost: PairedCost, { pid, sip }: Subject, rate: number): Promise<void> {
  let cheapest = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < MAX_WARMING_BATCHES; batch++) {
    const { all } = await measureOnce(cost, pid, { target: sip, calls: cost.warmingCalls, rate });
    process.stderr.write(`warm-up of ${sip}: ${all.toFixed(2)}\n`);
    if (all > cheapest * STILL_FALLS) return;
    cheapest = all;
  }
}

async function measureRate(
  cost: PairedCost,
  pairs: number,
  order: Omit<Calls, 'target'>,
  service: Service,
  peer: Subject | undefined,
): Promise<void> {
  const ours: Cost[] = [];
  const theirs: Cost[] = [];
  const measureService = async () => ours.push(await measureOnce(cost, service.pid, { ...order, target: service.sip }));
  const measurePeer = async () =>
    peer && theirs.push(await measureOnce(cost, peer.pid, { ...order, target: peer.sip }));
  for (let pair = 0; pair < pairs; pair++) {
    const turns = [measureService, measurePeer];
    for (const turn of pair % 2 === 0 ? turns : turns.reverse()) await turn();
    process.stderr.write(`${cost.name} at ${order.rate}/s: ${text(ours.at(-1)!)} | peer ${text(theirs.at(-1))}\n`);
  }
  for (const part of ['all', 'main', 'media'] as const) {
    const name = `${cost.name}.${order.rate}${part === 'all' ? '' : `.${part}`}`;
    const values = ours.map((each) => each[part]);
    const peers = theirs.map((each) => each[part]);
    // Asterisk has other threads.
    reportRounds(name, values, cost.unit, peers.includes(0) ? [] : peers);
  }
}

function text(cost: Cost | undefined): string {
  if (!cost) return 'not measured';
  const threads = cost.main > 0 ? ` (main ${cost.main.toFixed(2)}, media ${cost.media.toFixed(2)})` : '';
  return cost.all.toFixed(2) + threads;
}

async function measureOnce(cost: PairedCost, pid: number, calls: Calls): Promise<Cost> {
  const before = cpuSoFar(pid);
  await cost.place(calls);
  const after = cpuSoFar(pid);
  const each = (part: keyof Cost): number => ((after[part] - before[part]) / calls.calls) * 1000;
  return { all: each('all'), main: each('main'), media: each('media') };
}

function cpuSoFar(pid: number): Cost {
  const threads = cpuByThread(pid);
  return { all: cpuSeconds(pid), main: threads.get('MainThread') ?? 0, media: threads.get('media') ?? 0 };
}
