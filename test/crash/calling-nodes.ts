/**
 * Cluster of node processes with a Redis primary and replica, whose broadcasts dial sipp. It answers every call and
 * records the time and the number. Used by the test with a few hundred numbers and by `npm run broadcasts -- NUMBERS`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, startService } from '../e2e/service.ts';
import { type Receiver, startReceiver } from '../e2e/webhook-receiver.ts';
import { type RedisServer, startRedis, until } from '../redis-server.ts';

const PHONES = '127.0.46.99';
const TALK = `flow: talk
start: wait
steps:
  wait: { pause: 400ms, next: bye }
  bye: { hangup: normal }
`;
/** Expiry of the lease, detection of the loss, and expiry of the numbers reserved by a lost node. */
const END_AFTER_MS = 60_000;

type Words = Record<string, unknown>;

export interface Dialled {
  number: string;
  atMs: number;
}

export class CallingNodes {
  readonly nodes: Service[] = [];
  receiver!: Receiver;
  servers: RedisServer[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'callweave-calling-'));
  #phones: ChildProcess | undefined;

  static async start(count: number): Promise<CallingNodes> {
    const all = new CallingNodes();
    const primary = await startRedis();
    all.servers = [primary, await startRedis({ replicaOf: primary })];
    all.receiver = await startReceiver(PHONES);
    const notes = ['-trace_shortmsg', '-shortmessage_file', all.#notes];
    const at = ['-i', PHONES, '-p', '5060', '-nostdin'];
    all.#phones = spawn('sipp', ['-sn', 'uas', ...at, ...notes], { stdio: 'ignore', cwd: all.#directory });
    process.once('exit', () => all.#phones?.kill('SIGKILL'));
    all.nodes.push(...(await Promise.all(Array.from({ length: count }, (_, index) => all.#startNode(index)))));
    // Each node has seen the others.
    await until(async () => {
      const seen = await Promise.all(all.nodes.map((node) => node.api('GET', '/admin/v1/nodes', undefined, ADMIN)));
      return seen.every(({ body }) => (body['nodes'] as unknown[] | undefined)?.length === count);
    });
    return all;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    this.#phones?.kill('SIGKILL');
    await this.receiver?.stop();
    for (const server of this.servers.toReversed()) await server.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Restarts the node at this index with the same data. */
  async restart(index: number): Promise<void> {
    this.nodes[index] = await this.#startNode(index);
  }

  /** Creates a broadcast at a node and returns its id. */
  async order(node: Service, numbers: readonly string[], callsPerSecond: number): Promise<string> {
    const { status, body } = await node.api('POST', '/voice/v1/broadcast', {
      ...{ application_name: 'many', from: '1000', flow: 'talk', event_url: this.receiver.url },
      broadcast_numbers_array: numbers,
      call_param: { calls_per_second: callsPerSecond, number_of_retries: 0 },
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return String(body['app_instance']);
  }

  /** Initial INVITEs, in order. */
  dialled(): Dialled[] {
    const seen = new Map<string, Dialled>();
    for (const line of existsSync(this.#notes) ? readFileSync(this.#notes, 'utf8').split('\n') : []) {
      const [, , seconds, direction, callId, , what] = line.split('\t');
      const number = direction === 'R' && /^INVITE sip:([^@;]+)/.exec(what ?? '')?.[1];
      if (number && !seen.has(callId!)) seen.set(callId!, { number, atMs: Number(seconds) * 1000 });
    }
    return [...seen.values()];
  }

  async report(node: Service, broadcastId: string): Promise<{ totals: Words; rows: Words[] }> {
    const rows: Words[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await node.api('GET', `/voice/v1/broadcast/${broadcastId}?limit=5000${cursor}`);
      if (status !== 200) throw new Error(JSON.stringify(body));
      rows.push(...(body['result_set'] as Words[]));
      if (body['next'] === undefined) return { totals: body['totals'] as Words, rows };
      cursor = `&cursor=${encodeURIComponent(String(body['next']))}`;
    }
  }

  /** Ids of the final events of a broadcast. */
  ends(broadcastId: string): string[] {
    const isEnd = ({ body }: { body: Words }) =>
      body['app_instance'] === broadcastId && body['state'] === 'broadcastcomplete';
    return this.receiver.events.filter(isEnd).map(({ id }) => id);
  }

  /** Resolves when the final event has arrived, and is the only one. */
  async ended(broadcastId: string, afterMs: number): Promise<void> {
    await until(async () => this.ends(broadcastId).length > 0, afterMs + END_AFTER_MS);
    if (new Set(this.ends(broadcastId)).size > 1) throw new Error('it has two ends');
  }

  get #notes(): string {
    return join(this.#directory, 'dialled');
  }

  #startNode(index: number): Promise<Service> {
    const name = `node-${index + 1}`;
    const address = `127.0.46.${index + 1}`;
    return startService({
      ...{ directory: join(this.#directory, name), address },
      sip: { routes: [{ uri: `sip:${PHONES}:5060` }] },
      more: {
        admin: { token: ADMIN_TOKEN },
        broadcasts: { calls_per_second: 1000, max_concurrent: 1000 },
        cluster: {
          redis: { url: this.servers[0]!.url },
          key: 'a-key-that-only-the-nodes-of-this-test-know',
          node: name,
          address: `http://${address}:8080`,
        },
      },
      numbers: [{ number: '1000', flow: 'talk', project: 'demo' }],
      flows: { 'talk.flow.yaml': TALK },
    });
  }
}

const ADMIN_TOKEN = 'a-token-of-the-administrator-of-the-tests';
export const ADMIN = { authorization: `Bearer ${ADMIN_TOKEN}` };

export const numbersFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(33_100_000_000 + first + index));

export interface BroadcastFigures {
  numbers: number;
  dialled: number;
  twice: string[];
  /** Numbers without a result. */
  forgotten: number;
  results: Record<string, number>;
  /**
   * Dialled numbers per second, relative to the requested rate, from one second after the loss until all but the last
   * numbers were dialled.
   */
  pace: number;
  /** Minimum and maximum of the numbers dialled in each second. */
  paceOfSeconds: [least: number, most: number];
}

/** Runs a broadcast and kills a node other than the one that accepted it, after `killAfter` dialled numbers. */
export async function callThrough(
  all: CallingNodes,
  numbers: readonly string[],
  { perSecond, killAfter }: { perSecond: number; killAfter: number },
): Promise<BroadcastFigures> {
  const [taker, ...others] = all.nodes as [Service, ...Service[]];
  const victim = others.at(-1)!;
  const broadcastId = await all.order(taker, numbers, perSecond);
  await until(async () => all.dialled().length >= killAfter, (killAfter / perSecond) * 1000 + END_AFTER_MS);
  await victim.kill();
  const killedMs = Date.now();
  await all.ended(broadcastId, (numbers.length / perSecond) * 1000);
  const { rows } = await all.report(others[0]!, broadcastId);
  const wanted = new Set(numbers);
  const dials = all.dialled().filter(({ number }) => wanted.has(number));
  const often = Map.groupBy(dials, ({ number }) => number);
  const results: Record<string, number> = {};
  for (const { result, state } of rows) {
    const name = state === 'disconnected' ? String((result as Words)['reason']) : 'none';
    results[name] = (results[name] ?? 0) + 1;
  }
  // The last numbers were reserved by the dead node and are dialled only after that reservation expires.
  const times = dials.map(({ atMs }) => atMs).sort((one, two) => one - two);
  const fromMs = killedMs + 1000;
  const lastMs = times[Math.floor(numbers.length * LAST_PART)]!;
  const whole = Math.floor((lastMs - fromMs) / 1000);
  const inSecond = (second: number): number =>
    times.filter((ms) => ms >= fromMs + second * 1000 && ms < fromMs + (second + 1) * 1000).length / perSecond;
  const seconds = Array.from({ length: Math.max(0, whole) }, (_, second) => inSecond(second));
  return {
    numbers: rows.length,
    dialled: often.size,
    twice: [...often].filter(([, of]) => of.length > 1).map(([number]) => number),
    forgotten: results['none'] ?? 0,
    results,
    pace: seconds.reduce((sum, one) => sum + one, 0) / seconds.length,
    paceOfSeconds: [Math.min(...seconds), Math.max(...seconds)],
  };
}

const LAST_PART = 0.93;
